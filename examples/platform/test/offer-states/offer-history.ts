/** An action on an offer. */
export type OfferStep =
  | { type: "open" | "apply" | "reject" | "close"; workerId: string }
  | { type: "complete"; organisation: Organisation; workerIds: readonly string[] }
  | { type: "withdraw"; organisation: Organisation };

/** `ours` created the offer. */
export type Organisation = "ours" | "theirs";

export type OfferOutcome = "done" | "offer_not_found" | "offer_completed" | "offer_withdrawn" | "worker_not_applied";

/** Everything that organisations and workers can observe of one offer. */
export interface OfferPicture {
  complete: boolean;
  withdrawn: boolean;
  /** The recipients in the order in which the creation listed them. */
  recipients: { workerId: string; response: string; confirmation: string }[];
  /** The events sent to the organisation, in order. */
  events: { organisation: Organisation; workerId: string; response: string }[];
  /** The reasons of each worker's notifications, in order, including workers the offer was not sent to. */
  notifications: Record<string, string[]>;
}

/**
 * The model: what interface.md and the decisions say about an offer, as questions about all steps so far. It has no state
 * machine and shares no code with the platform.
 */
export class OfferHistory {
  readonly #addressed: readonly string[];
  readonly #steps: OfferStep[] = [];

  constructor(workerIds: readonly string[]) {
    this.#addressed = [...new Set(workerIds)];
  }

  /** Returns whether the step is allowed or, if not, why. */
  judge(step: OfferStep): OfferOutcome {
    // "The worker has received the offer" (D-36); an organisation has the offers it created (D-20).
    const isTheirs = "workerId" in step ? this.#addressed.includes(step.workerId) : step.organisation === "ours";
    if (!isTheirs) return "offer_not_found";
    if (step.type === "open" || step.type === "close" || step.type === "withdraw") return "done";
    if (this.#wasDone("withdraw")) return "offer_withdrawn";
    if (this.#wasDone("complete")) return "offer_completed";
    if (step.type !== "complete") return "done";
    const mayBeNamed = step.workerIds.length > 0 && step.workerIds.every((id) => this.#lastResponse(id) === "applied");
    return mayBeNamed ? "done" : "worker_not_applied";
  }

  add(step: OfferStep): void {
    this.#steps.push(step);
  }

  picture(allWorkers: readonly string[]): OfferPicture {
    return {
      complete: this.#wasDone("complete"),
      withdrawn: this.#wasDone("withdraw"),
      recipients: this.#addressed.map((workerId) => ({
        workerId,
        response: this.#lastResponse(workerId),
        confirmation: this.#getsTheWork(workerId) ? "confirmed" : "",
      })),
      events: this.#steps.flatMap((step, index) => {
        if (step.type !== "apply" && step.type !== "reject") return [];
        const { workerId } = step;
        // "A repeat of the same response is none" (D-08).
        if (this.#lastResponse(workerId, index) === this.#lastResponse(workerId, index + 1)) return [];
        return [{ organisation: "ours", workerId, response: step.type === "apply" ? "accepted" : "rejected" }];
      }),
      notifications: Object.fromEntries(allWorkers.map((workerId) => [workerId, this.#notifications(workerId)])),
    };
  }

  /** Returns a worker's notifications: creation, completion and withdrawal each notify every worker the offer was sent to. */
  #notifications(workerId: string): string[] {
    if (!this.#addressed.includes(workerId)) return [];
    const decision = this.#getsTheWork(workerId) ? "successful" : "unsuccessful";
    return [
      "offer",
      ...(this.#wasDone("complete") ? [decision] : []),
      ...(this.#wasDone("withdraw") ? ["withdrawn"] : []),
    ];
  }

  #wasDone(type: OfferStep["type"]): boolean {
    return this.#steps.some((step) => step.type === type);
  }

  #lastResponse(workerId: string, before = this.#steps.length): string {
    const response = this.#steps
      .slice(0, before)
      .findLast((step) => (step.type === "apply" || step.type === "reject") && step.workerId === workerId);
    if (response === undefined) return "none";
    return response.type === "apply" ? "applied" : "rejected";
  }

  #getsTheWork(workerId: string): boolean {
    return this.#steps.some((step) => step.type === "complete" && step.workerIds.includes(workerId));
  }
}
