import { html } from "hono/html";
import { checkCreation } from "../../offers/check-creation.ts";
import { createOffer } from "../../offers/create-offer.ts";
import { creationContext } from "../../offers/creation-context.ts";
import { type FieldErrors, ProblemError } from "../../problem/problem-error.ts";
import { codeSamples } from "../layout/code-samples.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page, PageResult } from "../routing/page-result.ts";
import { publicAddress } from "../routing/public-address.ts";
import { submitOnce } from "../routing/submit-once.ts";
import { type CreationDraft, creationOf, emptyDraft, readDraft } from "./creation-draft.ts";
import { newOfferForm } from "./new-offer-form.ts";
import { creationSamples } from "./offer-samples.ts";

/** Workers to choose from; others are entered by id. */
const workersLimit = 60;
const slotsLimit = 366;

/** `GET /offers/new` */
export const newOfferPage =
  (deps: PageDeps) =>
  (context: PortalContext): Promise<Page> =>
    showForm(deps, context, emptyDraft(), new Map());

/** `POST /offers/new`: creates the offer, shows the form with its errors, or adds a time slot to it. */
export const createOfferForm =
  (deps: PageDeps) =>
  async (context: PortalContext, form: URLSearchParams): Promise<PageResult> => {
    const draft = readDraft(form);
    if (form.get("act") === "addSlot") {
      if (draft.slots.length < slotsLimit) draft.slots.push({ start: "", end: "" });
      return showForm(deps, context, draft, new Map());
    }
    const { organisationId, id: personId } = context.user;
    try {
      return await submitOnce(deps, { context, form, organisationId }, async (trx) => {
        const lookups = creationContext(trx, deps.now(), [organisationId]);
        const input = await checkCreation(creationOf(draft, personId), lookups);
        const id = await createOffer(trx, deps, organisationId, input);
        return {
          to: `/offers/${encodeURIComponent(id)}`,
          notice: "The offer is created, and the workers are being notified.",
        };
      });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
      return { ...(await showForm(deps, context, draft, error.errors)), status: 422 };
    }
  };

async function showForm(
  deps: PageDeps,
  { user, request, formToken }: PortalContext,
  draft: CreationDraft,
  errors: FieldErrors,
): Promise<Page> {
  const workers = await deps.store.db
    .selectFrom("workers")
    .select(["id", "name"])
    .orderBy("name")
    .orderBy("id")
    .limit(workersLimit)
    .execute();
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>Create an offer</h1>
      </div>
    </header>
    ${errors.size > 0 && html`<p class="notice bad" role="alert">Nothing was created yet. Please correct the marked fields.</p>`}
    ${newOfferForm({ draft, errors, workers, formToken })}
    ${codeSamples(creationSamples(publicAddress(deps, request), sampleOf(draft, user.id, workers)))}`;
  return { title: "Create an offer", main };
}

/** The current input, completed with example values. */
function sampleOf(draft: CreationDraft, personId: string, workers: readonly { id: string }[]) {
  const creation = creationOf(draft, personId);
  return {
    ...creation,
    title: creation.title || "Kitchen help on Friday",
    workerIds: creation.workerIds.length > 0 ? creation.workerIds : workers.slice(0, 2).map(({ id }) => id),
    events: creation.events ?? [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  };
}
