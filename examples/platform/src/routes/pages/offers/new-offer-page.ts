import { type SqlBool, sql } from "kysely";
import { remedyForText } from "../../../http/fields.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { checkCreation, createCreationContext } from "../../../offers/check-creation.ts";
import { createOffer } from "../../../offers/create-offer.ts";
import { containsPattern } from "../../../store/contains-pattern.ts";
import { readPlaces } from "../../portal/profile/places.ts";
import { html } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { creationSamples } from "./code-samples.ts";
import { type CreationDraft, emptyDraft, readDraft, toCreation } from "./creation-draft.ts";
import { type FoundWorkers, newOfferForm } from "./new-offer-form.ts";

/** The maximum number of unselected workers to list. Users can search for the others. */
const maxListedWorkers = 60;
/** The maximum number of matching workers that the search reads. If there are more, it misses some. */
const maxMatches = 1_000;
const maxSlots = 366;

/** `GET /offers/new` */
export const newOfferPage: PortalPage = (context) => renderForm(context, emptyDraft());

/** Renders the form again with the input that was submitted before the session expired. */
export const restoreOfferForm: PortalForm = (context, form) => renderForm(context, readDraft(form));

/**
 * `POST /offers/new`: its button creates the offer or shows the form's errors. Other buttons add a time slot, or search for or select
 * workers.
 */
export const handleCreateOffer: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const draft = readDraft(form);
  const action = form.get("act");
  if (action === "addSlot" && draft.slots.length < maxSlots) draft.slots.push({ start: "", end: "" });
  if (action === "selectMatching")
    draft.selected = [...new Set([...draft.selected, ...(await findMatchingIds(context, draft))])];
  if (action !== "create") return renderForm(context, draft);
  try {
    return await submitOnce(context, form, user.organisationId, async (trx) => {
      const organisation = user.organisations.find(({ id }) => id === draft.organisationId);
      // Replace an unknown organisation with the user's own organisation.
      const organisationId = organisation?.id ?? user.organisationId;
      // D-37, D-117: users of the owning organisation and of its agency may create the offer.
      const creationContext = createCreationContext(trx, deps.now(), [organisationId, user.organisationId]);
      const input = await checkCreation(toCreation(draft, user.id, context.times), creationContext);
      const id = await createOffer(trx, deps, organisationId, input);
      return {
        to: `/offers/${encodeURIComponent(id)}`,
        notice: "The offer was created. The workers are being notified.",
      };
    });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
    return { ...(await renderForm(context, draft, error.errors)), status: 422 };
  }
};

async function renderForm(
  context: PortalContext,
  draft: CreationDraft,
  errors: FieldErrors = new Map(),
): Promise<Page> {
  const workers = await findWorkers(context, draft);
  const places = await readPlaces(context.deps, context.user.organisationIds);
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>Create an offer</h1>
      </div>
    </header>
    ${errors.size > 0 && html`<p class="notice bad" role="alert">The offer was not created. Please correct the marked fields.</p>`}
    ${newOfferForm(context, { draft, errors, workers, places })}
    ${creationSamples(context, addExampleValues(context, draft, workers.shown))}`;
  return { title: "Create an offer", main };
}

/** Finds the selected workers and the workers who match the search, sorted by name, with numbers in numeric order. */
async function findWorkers(context: PortalContext, { workerSearch, selected }: CreationDraft): Promise<FoundWorkers> {
  const matching = await findMatchingWorkers(context, workerSearch, maxMatches);
  const selectedIds = new Set(selected);
  const matchingIds = new Set(matching.map(({ id }) => id));
  const otherIds = selected.filter((id) => !matchingIds.has(id) && remedyForText(id) === undefined);
  const otherSelected = otherIds.length === 0 ? [] : await readWorkersById(context, otherIds);
  const isSelected = ({ id }: { id: string }) => selectedIds.has(id);
  const unselected = matching.filter((worker) => !isSelected(worker));
  return {
    selected: [...otherSelected, ...matching.filter(isSelected)].toSorted(byName),
    shown: unselected.slice(0, maxListedWorkers),
    matchingCount: matching.length,
    hiddenCount: Math.max(0, unselected.length - maxListedWorkers),
  };
}

const collator = new Intl.Collator("en", { numeric: true });

const byName = (a: { name: string; id: string }, b: { name: string; id: string }): number =>
  collator.compare(a.name, b.name) || collator.compare(a.id, b.id);

async function findMatchingWorkers({ deps }: PortalContext, search: string, limit: number) {
  const pattern = containsPattern(search);
  const workers = await deps.store.db
    .selectFrom("workers")
    .select(["id", "name"])
    .$if(search !== "", (query) =>
      query.where((where) => where.or([where("name", "ilike", pattern), where("id", "ilike", pattern)])),
    )
    .orderBy("name")
    .orderBy("id")
    .limit(limit)
    .execute();
  // Sort again, because the database does not sort numbers in names in numeric order.
  return workers.toSorted(byName);
}

const readWorkersById = ({ deps }: PortalContext, ids: readonly string[]) =>
  deps.store.db
    .selectFrom("workers")
    .select(["id", "name"])
    .where(sql<SqlBool>`id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`)
    .execute();

const findMatchingIds = async (context: PortalContext, { workerSearch }: CreationDraft): Promise<string[]> =>
  (await findMatchingWorkers(context, workerSearch, maxMatches)).map(({ id }) => id);

/** Builds the request body, with example values for missing input. */
function addExampleValues({ user, times }: PortalContext, draft: CreationDraft, workers: readonly { id: string }[]) {
  const creation = toCreation(draft, user.id, times);
  return {
    ...creation,
    title: creation.title || "Kitchen help on Friday",
    workerIds: creation.workerIds.length > 0 ? creation.workerIds : workers.slice(0, 2).map(({ id }) => id),
    events: creation.events ?? [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  };
}
