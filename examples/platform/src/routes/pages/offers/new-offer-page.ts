import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { checkCreation, creationContext } from "../../../offers/check-creation.ts";
import { createOffer } from "../../../offers/create-offer.ts";
import { readPlaces } from "../../portal/profile/places.ts";
import { html } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { creationSamples } from "./code-samples.ts";
import { type CreationDraft, creationOf, emptyDraft, readDraft } from "./creation-draft.ts";
import { newOfferForm } from "./new-offer-form.ts";

/** Workers to choose from; others are entered by id. */
const workersLimit = 60;
const slotsLimit = 366;

/** `GET /offers/new` */
export const newOfferPage: PortalPage = (context) => showForm(context, emptyDraft());

/** The form of an earlier session, as it was sent. */
export const restoreOfferForm: PortalForm = (context, typed) => showForm(context, readDraft(typed));

/** `POST /offers/new`: creates the offer, shows the form with its errors, or adds a time slot to it. */
export const createOfferForm: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const draft = readDraft(form);
  if (form.get("act") === "addSlot") {
    if (draft.slots.length < slotsLimit) draft.slots.push({ start: "", end: "" });
    return showForm(context, draft);
  }
  try {
    return await submitOnce(context, form, user.organisationId, async (trx) => {
      // Unknown values are treated as the person's own organisation.
      const { id: organisationId = user.organisationId } =
        user.organisations.find(({ id }) => id === draft.organisationId) ?? {};
      // D-37, D-117: the owner's people, and the agency's.
      const lookups = creationContext(trx, deps.now(), [organisationId, user.organisationId]);
      const input = await checkCreation(creationOf(draft, user.id, context.times), lookups);
      const id = await createOffer(trx, deps, organisationId, input);
      return {
        to: `/offers/${encodeURIComponent(id)}`,
        notice: "The offer is created, and the workers are being notified.",
      };
    });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
    return { ...(await showForm(context, draft, error.errors)), status: 422 };
  }
};

async function showForm(context: PortalContext, draft: CreationDraft, errors: FieldErrors = new Map()): Promise<Page> {
  const workers = await context.deps.store.db
    .selectFrom("workers")
    .select(["id", "name"])
    .orderBy("name")
    .orderBy("id")
    .limit(workersLimit)
    .execute();
  const places = await readPlaces(context.deps, context.user.organisationIds);
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>Create an offer</h1>
      </div>
    </header>
    ${errors.size > 0 && html`<p class="notice bad" role="alert">Nothing was created yet. Please correct the marked fields.</p>`}
    ${newOfferForm(context, { draft, errors, workers, places })}
    ${creationSamples(context, sampleOf(context, draft, workers))}`;
  return { title: "Create an offer", main };
}

/** The current input, completed with example values. */
function sampleOf({ user, times }: PortalContext, draft: CreationDraft, workers: readonly { id: string }[]) {
  const creation = creationOf(draft, user.id, times);
  return {
    ...creation,
    title: creation.title || "Kitchen help on Friday",
    workerIds: creation.workerIds.length > 0 ? creation.workerIds : workers.slice(0, 2).map(({ id }) => id),
    events: creation.events ?? [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  };
}
