/** The state machine of an offer and its recipients. All functions are pure and do not use the store. */

/** A worker's response to an offer (D-04). */
export type RecipientResponse = "none" | "applied" | "rejected";

export interface RecipientState {
  workerId: string;
  response: RecipientResponse;
  /** Empty until something is confirmed (D-05). */
  confirmation: "" | "confirmed";
}

export interface OfferState {
  complete: boolean;
  withdrawn: boolean;
  /** At least the recipients that the action affects. For a completion or withdrawal, these are all recipients. */
  recipients: readonly RecipientState[];
}

export type WorkerAction = "open" | "apply" | "reject" | "close";

export type Action =
  | { type: WorkerAction; workerId: string }
  | { type: "complete"; workerIds: readonly string[] }
  | { type: "withdraw" };

type NotifyReason = "successful" | "unsuccessful" | "withdrawn";

/** A side effect of an action, performed by `applyEffect`. */
export type Effect =
  | { type: "notify"; reason: NotifyReason; workerIds: readonly string[] }
  | { type: "workerOfferResponse"; workerId: string; response: "accepted" | "rejected" };

export type Refusal =
  | { code: "offer_completed" | "offer_withdrawn" | "not_addressed" }
  /** `indexes` are positions in the action's `workerIds`. */
  | { code: "worker_not_applied"; indexes: readonly number[] };

export type Transition =
  | { allowed: true; state: OfferState; effects: readonly Effect[] }
  | { allowed: false; refusal: Refusal };

/** A combination of an offer's two flags. Once set, a flag is never reset (D-07). */
export type StateName = "open" | "complete" | "withdrawn" | "completeAndWithdrawn";

/** Sets the worker's response and sends a webhook (D-14). Repeating the same response has no effect (D-08). */
interface RespondAction {
  kind: "respond";
  response: "applied" | "rejected";
  webhookResponse: "accepted" | "rejected";
}

/** The effect of an action in one state. */
export type Move =
  | RespondAction
  | { kind: "noop" }
  /** Confirms the selected workers and notifies all recipients, regardless of their responses (D-09). */
  | { kind: "complete" }
  /** Notifies all recipients. */
  | { kind: "withdraw" }
  | { kind: "reject"; code: "offer_completed" | "offer_withdrawn" };

const noop: Move = { kind: "noop" };
const recordApplied: Move = { kind: "respond", response: "applied", webhookResponse: "accepted" };
const recordRejected: Move = { kind: "respond", response: "rejected", webhookResponse: "rejected" };
const completeOffer: Move = { kind: "complete" };
const withdrawOffer: Move = { kind: "withdraw" };
const rejectAsComplete: Move = { kind: "reject", code: "offer_completed" };
const rejectAsWithdrawn: Move = { kind: "reject", code: "offer_withdrawn" };

/** Defines what each action does in each state. Actions by a worker who did not receive the offer fail in every state (D-36). */
export const transitionTable: Readonly<Record<Action["type"], Readonly<Record<StateName, Move>>>> = {
  // Viewing an offer is not a response, so it sends no webhook.
  open: { open: noop, complete: noop, withdrawn: noop, completeAndWithdrawn: noop },
  close: { open: noop, complete: noop, withdrawn: noop, completeAndWithdrawn: noop },
  // D-08: a response may change until the offer is complete or withdrawn.
  apply: {
    open: recordApplied,
    complete: rejectAsComplete,
    withdrawn: rejectAsWithdrawn,
    completeAndWithdrawn: rejectAsWithdrawn,
  },
  reject: {
    open: recordRejected,
    complete: rejectAsComplete,
    withdrawn: rejectAsWithdrawn,
    completeAndWithdrawn: rejectAsWithdrawn,
  },
  // D-11: an offer can be completed only once, and only with workers who have applied.
  complete: {
    open: completeOffer,
    complete: rejectAsComplete,
    withdrawn: rejectAsWithdrawn,
    completeAndWithdrawn: rejectAsWithdrawn,
  },
  // D-10: possible in any state. Repeating it has no effect and does not notify workers again.
  withdraw: { open: withdrawOffer, complete: withdrawOffer, withdrawn: noop, completeAndWithdrawn: noop },
};

/** Applies an action to an offer's state, according to `transitionTable`. */
export function transition(state: OfferState, action: Action): Transition {
  const workerIds = workerIdsIn(action);
  if ("workerId" in action && !state.recipients.some(hasWorkerIdIn(workerIds)))
    return reject({ code: "not_addressed" });
  const move = transitionTable[action.type][toStateName(state)];
  switch (move.kind) {
    case "noop":
      return allow(state);
    case "respond":
      return respond(state, workerIds, move);
    case "complete":
      return complete(state, workerIds);
    case "withdraw":
      return allow({ ...state, withdrawn: true }, notifyEffect("withdrawn", state.recipients));
    case "reject":
      return reject({ code: move.code });
  }
}

/** Records a worker's response. @param workerIds contains only the responding worker's id */
function respond(
  state: OfferState,
  workerIds: readonly string[],
  { response, webhookResponse }: RespondAction,
): Transition {
  const isResponding = hasWorkerIdIn(workerIds);
  const worker = state.recipients.find((recipient) => isResponding(recipient) && recipient.response !== response);
  // A repeated response has no effect (D-08).
  if (worker === undefined) return allow(state);
  const recipients = state.recipients.map((recipient) =>
    recipient === worker ? { ...recipient, response } : recipient,
  );
  const { workerId } = worker;
  return allow({ ...state, recipients }, { type: "workerOfferResponse", workerId, response: webhookResponse });
}

/**
 * Completes the offer, unless no worker is selected or a selected worker has not applied.
 *
 * @param workerIds the selected workers; a repeated id counts once
 */
function complete(state: OfferState, workerIds: readonly string[]): Transition {
  const appliedIds = new Set(
    state.recipients.filter((recipient) => recipient.response === "applied").map((recipient) => recipient.workerId),
  );
  const indexes = workerIds.flatMap((id, index) => (appliedIds.has(id) ? [] : [index]));
  if (indexes.length > 0 || workerIds.length === 0) return reject({ code: "worker_not_applied", indexes });
  const isSelected = hasWorkerIdIn(workerIds);
  const recipients = state.recipients.map((recipient) =>
    isSelected(recipient) ? { ...recipient, confirmation: "confirmed" as const } : recipient,
  );
  return allow(
    { ...state, complete: true, recipients },
    notifyEffect("successful", recipients.filter(isSelected)),
    notifyEffect(
      "unsuccessful",
      recipients.filter((recipient) => !isSelected(recipient)),
    ),
  );
}

function toStateName({ complete, withdrawn }: OfferState): StateName {
  if (withdrawn) return complete ? "completeAndWithdrawn" : "withdrawn";
  return complete ? "complete" : "open";
}

/** Returns the worker ids in an action. */
function workerIdsIn(action: Action): readonly string[] {
  if ("workerId" in action) return [action.workerId];
  return "workerIds" in action ? action.workerIds : [];
}

function hasWorkerIdIn(workerIds: readonly string[]): (recipient: RecipientState) => boolean {
  const set = new Set(workerIds);
  return ({ workerId }) => set.has(workerId);
}

const notifyEffect = (reason: NotifyReason, recipients: readonly RecipientState[]): Effect => ({
  type: "notify",
  reason,
  workerIds: recipients.map(({ workerId }) => workerId),
});

const allow = (state: OfferState, ...effects: Effect[]): Transition => ({ allowed: true, state, effects });

const reject = (refusal: Refusal): Transition => ({ allowed: false, refusal });
