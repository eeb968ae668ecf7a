/** The state machine of an offer and its recipients: pure functions, without a store. */

/** D-04 */
export type RecipientResponse = "none" | "applied" | "rejected";

export interface RecipientState {
  workerId: string;
  response: RecipientResponse;
  /** D-05 */
  confirmation: "" | "confirmed";
}

export interface OfferState {
  complete: boolean;
  withdrawn: boolean;
  /** At least those that the action concerns: the worker who acts, or all on completion and withdrawal. */
  recipients: readonly RecipientState[];
}

export type WorkerAction = "open" | "apply" | "reject" | "close";

export type Action =
  | { type: WorkerAction; workerId: string }
  | { type: "complete"; workerIds: readonly string[] }
  | { type: "withdraw" };

type NotifyReason = "successful" | "unsuccessful" | "withdrawn";

/** A side effect of an action, in addition to the new state of the offer. `applyEffect` performs it. */
export type Effect =
  | { type: "notify"; reason: NotifyReason; workerIds: readonly string[] }
  | { type: "workerOfferResponse"; workerId: string; response: "accepted" | "rejected" };

export type Refusal =
  | { code: "offer_completed" | "offer_withdrawn" | "not_addressed" }
  /** `indexes` into the ids of the action. */
  | { code: "worker_not_applied"; indexes: readonly number[] };

export type Transition =
  | { allowed: true; state: OfferState; effects: readonly Effect[] }
  | { allowed: false; refusal: Refusal };

/** Combination of an offer's two flags. Actions set them, and nothing resets them (D-07). */
export type StateName = "open" | "complete" | "withdrawn" | "completeAndWithdrawn";

/** Sets the worker's response and sends a webhook (D-14). The same response again has no effect (D-08). */
interface RespondAction {
  kind: "respond";
  response: "applied" | "rejected";
  webhookResponse: "accepted" | "rejected";
}

/** The effect of an action in one state. */
export type Move =
  | RespondAction
  | { kind: "noop" }
  /** Confirms the selected workers and notifies all recipients, whatever they responded (D-09). */
  | { kind: "complete" }
  /** Notifies all recipients. */
  | { kind: "withdraw" }
  | { kind: "reject"; code: "offer_completed" | "offer_withdrawn" };

const noop: Move = { kind: "noop" };
const applied: Move = { kind: "respond", response: "applied", webhookResponse: "accepted" };
const rejected: Move = { kind: "respond", response: "rejected", webhookResponse: "rejected" };
const completed: Move = { kind: "complete" };
const withdrawn: Move = { kind: "withdraw" };
const isComplete: Move = { kind: "reject", code: "offer_completed" };
const isWithdrawn: Move = { kind: "reject", code: "offer_withdrawn" };

/** Every action in every state. A worker who was not addressed gets "not found" in every state (D-36). */
export const transitionTable: Readonly<Record<Action["type"], Readonly<Record<StateName, Move>>>> = {
  // Viewing an offer is not a response and sends no webhook.
  open: { open: noop, complete: noop, withdrawn: noop, completeAndWithdrawn: noop },
  close: { open: noop, complete: noop, withdrawn: noop, completeAndWithdrawn: noop },
  // D-08: the response may change until the offer is complete or withdrawn.
  apply: { open: applied, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  reject: { open: rejected, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  // D-11: once, with workers who currently apply.
  complete: { open: completed, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  // D-10: in any state. Repeating it has no effect and notifies no worker again.
  withdraw: { open: withdrawn, complete: withdrawn, withdrawn: noop, completeAndWithdrawn: noop },
};

export function transition(state: OfferState, action: Action): Transition {
  const ids = idsIn(action);
  if ("workerId" in action && !state.recipients.some(isAmong(ids))) return reject({ code: "not_addressed" });
  const move = transitionTable[action.type][nameOf(state)];
  switch (move.kind) {
    case "noop":
      return allow(state);
    case "respond":
      return respond(state, ids, move);
    case "complete":
      return complete(state, ids);
    case "withdraw":
      return allow({ ...state, withdrawn: true }, notify("withdrawn", state.recipients));
    case "reject":
      return reject({ code: move.code });
  }
}

/** @param ids the worker who responds */
function respond(state: OfferState, ids: readonly string[], { response, webhookResponse }: RespondAction): Transition {
  const worker = state.recipients.filter(isAmong(ids)).find((one) => one.response !== response);
  if (worker === undefined) return allow(state);
  const recipients = state.recipients.map((one) => (one === worker ? { ...one, response } : one));
  const { workerId } = worker;
  return allow({ ...state, recipients }, { type: "workerOfferResponse", workerId, response: webhookResponse });
}

/** @param ids the selected workers; a repeated id counts once */
function complete(state: OfferState, ids: readonly string[]): Transition {
  const applied = new Set(state.recipients.filter((one) => one.response === "applied").map((one) => one.workerId));
  const indexes = ids.flatMap((id, index) => (applied.has(id) ? [] : [index]));
  if (indexes.length > 0 || ids.length === 0) return reject({ code: "worker_not_applied", indexes });
  const isSelected = isAmong(ids);
  const recipients = state.recipients.map((one) =>
    isSelected(one) ? { ...one, confirmation: "confirmed" as const } : one,
  );
  return allow(
    { ...state, complete: true, recipients },
    notify("successful", recipients.filter(isSelected)),
    notify(
      "unsuccessful",
      recipients.filter((one) => !isSelected(one)),
    ),
  );
}

function nameOf({ complete, withdrawn }: OfferState): StateName {
  if (withdrawn) return complete ? "completeAndWithdrawn" : "withdrawn";
  return complete ? "complete" : "open";
}

/** The worker ids in the action. */
function idsIn(action: Action): readonly string[] {
  if ("workerId" in action) return [action.workerId];
  return "workerIds" in action ? action.workerIds : [];
}

function isAmong(ids: readonly string[]): (one: RecipientState) => boolean {
  const set = new Set(ids);
  return ({ workerId }) => set.has(workerId);
}

const notify = (reason: NotifyReason, recipients: readonly RecipientState[]): Effect => ({
  type: "notify",
  reason,
  workerIds: recipients.map(({ workerId }) => workerId),
});

const allow = (state: OfferState, ...effects: Effect[]): Transition => ({ allowed: true, state, effects });

const reject = (refusal: Refusal): Transition => ({ allowed: false, refusal });
