/** The states of an offer and of its recipients, and what follows from each action. Pure: the store is elsewhere. */

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
  widthdrawn: boolean;
  /** Those the action is about suffice: the worker who acts, or everybody on completion and withdrawal. */
  recipients: readonly RecipientState[];
}

export type WorkerAction = "open" | "apply" | "reject" | "close";

export type Action =
  | { type: WorkerAction; workerId: string }
  | { type: "complete"; workerIds: readonly string[] }
  | { type: "withdraw" };

type NotifyReason = "successful" | "unsuccessful" | "withdrawn";

/** What is to be told, to whom. */
export type Consequence =
  | { type: "notify"; reason: NotifyReason; workerIds: readonly string[] }
  | { type: "workerOfferResponse"; workerId: string; response: "accepted" | "rejected" };

export type Refusal =
  | { code: "offer_complete" | "offer_withdrawn" | "not_addressed" }
  /** `indexes` into the ids of the action. */
  | { code: "worker_not_applied"; indexes: readonly number[] };

export type Transition =
  | { allowed: true; state: OfferState; consequences: readonly Consequence[] }
  | { allowed: false; refusal: Refusal };

/** The two flags of an offer, in one word. An action sets them, nothing resets them (D-07). */
export type StateName = "open" | "complete" | "withdrawn" | "completeAndWithdrawn";

/** What an action does to an offer in one state. */
export type Move =
  | { does: "nothing" }
  /** The organisation is told, in the webhook's own word (D-14). The same answer again does nothing (D-08). */
  | { does: "answer"; response: "applied" | "rejected"; told: "accepted" | "rejected" }
  /** The named are confirmed. Everybody is told, also who rejected or never answered (D-09). */
  | { does: "decide"; sets: "complete"; tellsNamed: "successful"; tellsOthers: "unsuccessful" }
  | { does: "revoke"; sets: "widthdrawn"; tellsAll: "withdrawn" }
  | { does: "refuse"; code: "offer_complete" | "offer_withdrawn" };

const nothing: Move = { does: "nothing" };
const applied: Move = { does: "answer", response: "applied", told: "accepted" };
const rejected: Move = { does: "answer", response: "rejected", told: "rejected" };
const decided: Move = { does: "decide", sets: "complete", tellsNamed: "successful", tellsOthers: "unsuccessful" };
const revoked: Move = { does: "revoke", sets: "widthdrawn", tellsAll: "withdrawn" };
const isComplete: Move = { does: "refuse", code: "offer_complete" };
const isWithdrawn: Move = { does: "refuse", code: "offer_withdrawn" };

/** Every action in every state. To a worker who was not addressed the offer does not exist, in any state (D-36). */
export const transitionTable: Readonly<Record<Action["type"], Readonly<Record<StateName, Move>>>> = {
  // Looking at an offer is no answer, and triggers no webhook.
  open: { open: nothing, complete: nothing, withdrawn: nothing, completeAndWithdrawn: nothing },
  close: { open: nothing, complete: nothing, withdrawn: nothing, completeAndWithdrawn: nothing },
  // D-08: the answer may change until the offer is complete or withdrawn.
  apply: { open: applied, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  reject: { open: rejected, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  // D-11: once, with workers who currently apply.
  complete: { open: decided, complete: isComplete, withdrawn: isWithdrawn, completeAndWithdrawn: isWithdrawn },
  // D-10: in any state; again is harmless, and tells nobody twice.
  withdraw: { open: revoked, complete: revoked, withdrawn: nothing, completeAndWithdrawn: nothing },
};

export function transition(state: OfferState, action: Action): Transition {
  const ids = idsIn(action);
  if ("workerId" in action && !state.recipients.some(isAmong(ids))) return refuse({ code: "not_addressed" });
  const move = transitionTable[action.type][nameOf(state)];
  switch (move.does) {
    case "nothing":
      return allow(state);
    case "answer":
      return answer(state, ids, move);
    case "decide":
      return decide(state, ids, move);
    case "revoke":
      return allow({ ...state, [move.sets]: true }, notify(move.tellsAll, state.recipients));
    case "refuse":
      return refuse({ code: move.code });
  }
}

/** @param ids the worker who answers */
function answer(state: OfferState, ids: readonly string[], { response, told }: MoveThat<"answer">): Transition {
  const changed = state.recipients.filter(isAmong(ids)).filter((one) => one.response !== response);
  const recipients = state.recipients.map((one) => (changed.includes(one) ? { ...one, response } : one));
  const events = changed.map(({ workerId }) => ({ type: "workerOfferResponse", workerId, response: told }) as const);
  return allow({ ...state, recipients }, ...events);
}

/** @param ids the workers who get the work; one named twice counts once */
function decide(state: OfferState, ids: readonly string[], move: MoveThat<"decide">): Transition {
  const applied = new Set(state.recipients.filter((one) => one.response === "applied").map((one) => one.workerId));
  const indexes = ids.flatMap((id, index) => (applied.has(id) ? [] : [index]));
  if (indexes.length > 0 || ids.length === 0) return refuse({ code: "worker_not_applied", indexes });
  const isNamed = isAmong(ids);
  const isOther = (one: RecipientState): boolean => !isNamed(one);
  const recipients = state.recipients.map((one) =>
    isNamed(one) ? { ...one, confirmation: "confirmed" as const } : one,
  );
  return allow(
    { ...state, [move.sets]: true, recipients },
    notify(move.tellsNamed, state.recipients.filter(isNamed)),
    notify(move.tellsOthers, state.recipients.filter(isOther)),
  );
}

type MoveThat<Does extends Move["does"]> = Extract<Move, { does: Does }>;

function nameOf({ complete, widthdrawn }: OfferState): StateName {
  if (widthdrawn) return complete ? "completeAndWithdrawn" : "withdrawn";
  return complete ? "complete" : "open";
}

/** The workers that the action itself names. */
function idsIn(action: Action): readonly string[] {
  if ("workerId" in action) return [action.workerId];
  return "workerIds" in action ? action.workerIds : [];
}

function isAmong(ids: readonly string[]): (one: RecipientState) => boolean {
  const set = new Set(ids);
  return ({ workerId }) => set.has(workerId);
}

const notify = (reason: NotifyReason, recipients: readonly RecipientState[]): Consequence => ({
  type: "notify",
  reason,
  workerIds: recipients.map(({ workerId }) => workerId),
});

const allow = (state: OfferState, ...consequences: Consequence[]): Transition => ({
  allowed: true,
  state,
  consequences,
});

const refuse = (refusal: Refusal): Transition => ({ allowed: false, refusal });
