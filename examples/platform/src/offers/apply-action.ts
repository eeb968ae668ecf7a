import { sql } from "kysely";
import { type FieldErrors, ProblemError } from "../http/problem.ts";
import { addFieldError } from "../http/validation.ts";
import { notifyWorkers } from "../push/notify-workers.ts";
import { announce, type Trx } from "../store/store.ts";
import { continueOfferTrace } from "../tracing/tracing.ts";
import { recordEvent } from "../webhooks/record-event.ts";
import type { OfferDeps } from "./offer-deps.ts";
import { emailOfferClosed, emailResponses, type MailedOffer } from "./offer-mails.ts";
import {
  type Action,
  type Effect,
  type OfferState,
  type RecipientResponse,
  type RecipientState,
  type Refusal,
  transition,
} from "./transition.ts";

/** The organisation that owns the offer, or a worker the offer was sent to. */
export type Actor = { organisationId: string } | { workerId: string };

export type ActionResult = "done" | { code: "offer_not_found" } | Refusal;

/**
 * Applies an action to an offer in the caller's transaction: stores the new state, records events, notifies workers and emails the
 * offer's contact. Locks the offer row to serialise actions on one offer.
 */
export async function applyAction(
  trx: Trx,
  deps: Pick<OfferDeps, "linkTo">,
  actor: Actor,
  offerId: string,
  action: Action,
): Promise<ActionResult> {
  const offer = await lockOffer(trx, actor, offerId);
  if (offer === undefined) return { code: "offer_not_found" };
  const state: OfferState = {
    complete: offer.completed_at !== null,
    withdrawn: offer.withdrawn_at !== null,
    recipients: await readRecipients(trx, offerId, action),
  };
  const outcome = transition(state, action);
  if (!outcome.allowed) return outcome.refusal;
  await writeState(trx, offer, { action, before: state, after: outcome.state });
  await recordView(trx, offerId, action);
  announce(trx, { topic: "offer", organisationId: offer.organisation_id });
  const applyEffects = async () => {
    for (const effect of outcome.effects) await applyEffect(trx, offer.organisation_id, offerId, effect);
  };
  const hasEffects = outcome.effects.length > 0;
  if ("workerId" in actor && hasEffects) await continueOfferTrace(offer.trace, "worker response", applyEffects);
  else await applyEffects();
  if (hasEffects) await emailContact(trx, deps, offer, action);
  return "done";
}

/** Emails the offer's contact about the change (D-121). */
const emailContact = (
  trx: Trx,
  deps: Pick<OfferDeps, "linkTo">,
  offer: MailedOffer,
  { type }: Action,
): Promise<void> =>
  type === "complete" || type === "withdraw"
    ? emailOfferClosed(trx, deps, offer, type)
    : emailResponses(trx, deps, offer);

/** Locks the offer. Resolves with undefined unless the actor's organisation owns it or it was sent to the actor. */
const lockOffer = (trx: Trx, actor: Actor, offerId: string) =>
  trx
    .selectFrom("offers")
    .selectAll()
    .where("id", "=", offerId)
    .where(({ eb, selectFrom }) =>
      "organisationId" in actor
        ? eb("organisation_id", "=", actor.organisationId)
        : eb("id", "in", selectFrom("recipients").select("offer_id").where("worker_id", "=", actor.workerId)),
    )
    .forUpdate()
    .executeTakeFirst();

/** Reads the recipients that the action may affect. For an action by a worker, this is only that worker. */
async function readRecipients(trx: Trx, offerId: string, action: Action): Promise<RecipientState[]> {
  const query = trx
    .selectFrom("recipients")
    .select(["worker_id", "response", "confirmation"])
    .where("offer_id", "=", offerId)
    .orderBy("id");
  const rows = await ("workerId" in action ? query.where("worker_id", "=", action.workerId) : query).execute();
  return rows.map((row) => ({
    workerId: row.worker_id,
    response: row.response as RecipientResponse,
    confirmation: row.confirmation as RecipientState["confirmation"],
  }));
}

/** The change of an offer's state by an action. */
interface StateChange {
  action: Action;
  before: OfferState;
  after: OfferState;
}

/** The start of the transaction by the database's clock, which is also the default for the rows that the transaction inserts. */
const now = sql<Date>`now()`;

async function writeState(
  trx: Trx,
  { id, organisation_id }: { id: string; organisation_id: string },
  { action, before, after }: StateChange,
): Promise<void> {
  const updateOffer = (column: "completed_at" | "withdrawn_at") =>
    trx
      .updateTable("offers")
      .set({ [column]: now })
      .where("id", "=", id)
      .where("organisation_id", "=", organisation_id)
      .execute();
  // D-07: each flag is set only once.
  if (after.complete !== before.complete) await updateOffer("completed_at");
  if (after.withdrawn !== before.withdrawn) await updateOffer("withdrawn_at");
  const changedRecipients = after.recipients.filter((recipient, index) => recipient !== before.recipients[index]);
  // All changed recipients get the same values, because they are the selected workers of a completion, or one responding worker.
  const [first] = changedRecipients;
  if (first === undefined) return;
  const { response, confirmation } = first;
  await trx
    .updateTable("recipients")
    .set({ response, confirmation, ...(action.type !== "complete" && { responded_at: now }) })
    .where("offer_id", "=", id)
    .where(
      "worker_id",
      "in",
      changedRecipients.map((recipient) => recipient.workerId),
    )
    .execute();
}

/** Records when the worker opened or closed the offer. Does nothing for other actions. */
async function recordView(trx: Trx, offerId: string, action: Action): Promise<void> {
  if (action.type !== "open" && action.type !== "close") return;
  await trx
    .updateTable("recipients")
    .set(action.type === "open" ? { opened_at: now } : { closed_at: now })
    .where("offer_id", "=", offerId)
    .where("worker_id", "=", action.workerId)
    .execute();
}

async function applyEffect(trx: Trx, organisationId: string, offerId: string, effect: Effect): Promise<void> {
  if (effect.type === "notify") {
    const { reason, workerIds } = effect;
    await notifyWorkers(trx, { offerId, workerIds, reason });
    return;
  }
  const { workerId, response } = effect;
  // Record the event for the organisation that owns the offer (D-39).
  await recordEvent(trx, organisationId, {
    type: "workerOfferResponse",
    data: { offerId, workerId, response },
  });
}

/** Creates the error for an action that is not allowed. @param createNotFound creates the error for an offer that the caller cannot see */
export function refusalProblem(
  refusal: Refusal | { code: "offer_not_found" },
  createNotFound = offerNotFound,
): ProblemError {
  switch (refusal.code) {
    case "offer_not_found":
    case "not_addressed":
      return createNotFound();
    case "offer_completed":
      return new ProblemError(
        "offer_completed",
        "The offer is complete. It accepts no more responses and cannot be completed again.",
      );
    case "offer_withdrawn":
      return new ProblemError(
        "offer_withdrawn",
        "The offer is withdrawn. It accepts no more responses and cannot be completed.",
      );
    case "worker_not_applied": {
      const errors: FieldErrors = new Map();
      for (const index of refusal.indexes)
        addFieldError(errors, `[${index}]`, "Choose a worker who has applied; read the offer to see who has.");
      return new ProblemError("worker_not_applied", "Choose only workers who have applied; see errors.", { errors });
    }
  }
}

/** Creates the error for an unknown offer or another organisation's offer. Callers cannot distinguish the two cases (D-20). */
export const offerNotFound = (): ProblemError =>
  new ProblemError("offer_not_found", "You have no offer with this id; was it created with this key?");

/** Creates the error for a worker's action on an offer that is unknown or was not sent to them (D-36). */
export const offerNotSentToWorker = (): ProblemError =>
  new ProblemError("offer_not_found", "You have no offer with this id; was it sent to you?");
