/** The states of an offer and of its recipients, and what follows from each move. Pure: the store is elsewhere. */

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

/** What is to be told, to whom. */
export type Consequence =
  | { type: "notify"; reason: "successful" | "unsuccessful" | "withdrawn"; workerIds: readonly string[] }
  | { type: "workerOfferResponse"; workerId: string; response: "accepted" | "rejected" };

export type Refusal =
  | { code: "offer_complete" | "offer_withdrawn" | "not_addressed" }
  /** `indexes` into the ids of the action. */
  | { code: "worker_not_applied"; indexes: readonly number[] };

export type Transition =
  | { allowed: true; state: OfferState; consequences: readonly Consequence[] }
  | { allowed: false; refusal: Refusal };

export function transition(state: OfferState, action: Action): Transition {
  switch (action.type) {
    case "open":
    case "close":
      // Looking at an offer is no answer, and triggers no webhook.
      return isAddressed(state, action.workerId) ? allow(state) : refuse({ code: "not_addressed" });
    case "apply":
      return answer(state, action.workerId, "applied");
    case "reject":
      return answer(state, action.workerId, "rejected");
    case "complete":
      return complete(state, action.workerIds);
    case "withdraw":
      return withdraw(state);
  }
}

/** D-08: the answer may change until the offer is complete or withdrawn; a repeat of the same one is no event. */
function answer(state: OfferState, workerId: string, response: "applied" | "rejected"): Transition {
  const recipient = state.recipients.find((candidate) => candidate.workerId === workerId);
  if (recipient === undefined) return refuse({ code: "not_addressed" });
  const closed = closedBy(state);
  if (closed !== undefined) return refuse({ code: closed });
  if (recipient.response === response) return allow(state);
  const recipients = state.recipients.map((one) => (one === recipient ? { ...one, response } : one));
  // D-14: the webhook has a word of its own for it.
  const told = response === "applied" ? "accepted" : "rejected";
  return allow({ ...state, recipients }, { type: "workerOfferResponse", workerId, response: told });
}

/** D-11, and D-09: everybody is told, also who rejected or never answered. */
function complete(state: OfferState, workerIds: readonly string[]): Transition {
  const closed = closedBy(state);
  if (closed !== undefined) return refuse({ code: closed });
  const applied = new Set(state.recipients.filter((one) => one.response === "applied").map((one) => one.workerId));
  const indexes = [...workerIds.keys()].filter((index) => !applied.has(workerIds[index] ?? ""));
  if (indexes.length > 0 || workerIds.length === 0) return refuse({ code: "worker_not_applied", indexes });
  const named = new Set(workerIds);
  const recipients = state.recipients.map((one) =>
    named.has(one.workerId) ? { ...one, confirmation: "confirmed" as const } : one,
  );
  const others = state.recipients.map((one) => one.workerId).filter((id) => !named.has(id));
  return allow(
    { ...state, complete: true, recipients },
    { type: "notify", reason: "successful", workerIds: [...named] },
    { type: "notify", reason: "unsuccessful", workerIds: others },
  );
}

/** D-10: in any state; again is harmless, and tells nobody twice. */
function withdraw(state: OfferState): Transition {
  if (state.widthdrawn) return allow(state);
  const workerIds = state.recipients.map((one) => one.workerId);
  return allow({ ...state, widthdrawn: true }, { type: "notify", reason: "withdrawn", workerIds });
}

const closedBy = (state: OfferState): "offer_withdrawn" | "offer_complete" | undefined =>
  state.widthdrawn ? "offer_withdrawn" : state.complete ? "offer_complete" : undefined;

const isAddressed = (state: OfferState, workerId: string): boolean =>
  state.recipients.some((one) => one.workerId === workerId);

const allow = (state: OfferState, ...consequences: Consequence[]): Transition => ({
  allowed: true,
  state,
  consequences,
});

const refuse = (refusal: Refusal): Transition => ({ allowed: false, refusal });
