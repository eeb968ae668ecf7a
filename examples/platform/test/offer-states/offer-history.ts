/** An action on an offer. */
export type OfferStep =
  | { type: "open" | "apply" | "reject" | "close"; workerId: string }
  | { type: "complete"; organisation: Organisation; workerIds: readonly string[] }
  | { type: "withdraw"; organisation: Organisation };

/** `ours` is the organisation that created the offer. */
export type Organisation = "ours" | "theirs";

export type OfferOutcome = "done" | "offer_not_found" | "offer_completed" | "offer_withdrawn" | "worker_not_applied";

/** Everything that organisations and workers can observe about one offer. */
export interface OfferSnapshot {
  complete: boolean;
  withdrawn: boolean;
  /** The recipients in the order in which the creation listed them. */
  recipients: { workerId: string; response: string; confirmation: string }[];
  /** The events sent to the organisation, in order. */
  events: { organisation: Organisation; workerId: string; response: string }[];
  /** The reasons for each worker's notifications, in order. Includes workers to whom the offer was not sent. */
  notifications: Record<string, string[]>;
}

/**
 * The model of an offer. From all steps so far, it derives the offer's state according to interface.md and the decisions. It has no state
 * machine, and shares no code with the platform.
 */
export class OfferHistory {
  readonly #recipientIds: readonly string[];
  readonly #steps: OfferStep[] = [];

  constructor(workerIds: readonly string[]) {
    this.#recipientIds = [...new Set(workerIds)];
  }

  /** Returns `done` if the step is allowed, or the reason for its rejection. */
  judge(step: OfferStep): OfferOutcome {
    // A worker must have received the offer (D-36), and an organisation must have created it (D-20).
    const hasAccess = "workerId" in step ? this.#recipientIds.includes(step.workerId) : step.organisation === "ours";
    if (!hasAccess) return "offer_not_found";
    if (step.type === "open" || step.type === "close" || step.type === "withdraw") return "done";
    if (this.#wasDone("withdraw")) return "offer_withdrawn";
    if (this.#wasDone("complete")) return "offer_completed";
    if (step.type !== "complete") return "done";
    const haveAllApplied =
      step.workerIds.length > 0 && step.workerIds.every((id) => this.#lastResponse(id) === "applied");
    return haveAllApplied ? "done" : "worker_not_applied";
  }

  add(step: OfferStep): void {
    this.#steps.push(step);
  }

  snapshot(allWorkerIds: readonly string[]): OfferSnapshot {
    return {
      complete: this.#wasDone("complete"),
      withdrawn: this.#wasDone("withdraw"),
      recipients: this.#recipientIds.map((workerId) => ({
        workerId,
        response: this.#lastResponse(workerId),
        confirmation: this.#isConfirmed(workerId) ? "confirmed" : "",
      })),
      events: this.#steps.flatMap((step, index) => {
        if (step.type !== "apply" && step.type !== "reject") return [];
        const { workerId } = step;
        // Repeating the same response is not an event (D-08).
        if (this.#lastResponse(workerId, index) === this.#lastResponse(workerId, index + 1)) return [];
        return [{ organisation: "ours", workerId, response: step.type === "apply" ? "accepted" : "rejected" }];
      }),
      notifications: Object.fromEntries(
        allWorkerIds.map((workerId) => [workerId, this.#notificationReasons(workerId)]),
      ),
    };
  }

  /** Returns the reasons for a worker's notifications. Creation, completion and withdrawal each notify every recipient. */
  #notificationReasons(workerId: string): string[] {
    if (!this.#recipientIds.includes(workerId)) return [];
    const completionReason = this.#isConfirmed(workerId) ? "successful" : "unsuccessful";
    return [
      "offer",
      ...(this.#wasDone("complete") ? [completionReason] : []),
      ...(this.#wasDone("withdraw") ? ["withdrawn"] : []),
    ];
  }

  #wasDone(type: OfferStep["type"]): boolean {
    return this.#steps.some((step) => step.type === type);
  }

  /** Returns the worker's response after the first `stepCount` steps. */
  #lastResponse(workerId: string, stepCount = this.#steps.length): string {
    const lastStep = this.#steps
      .slice(0, stepCount)
      .findLast((step) => (step.type === "apply" || step.type === "reject") && step.workerId === workerId);
    if (lastStep === undefined) return "none";
    return lastStep.type === "apply" ? "applied" : "rejected";
  }

  #isConfirmed(workerId: string): boolean {
    return this.#steps.some((step) => step.type === "complete" && step.workerIds.includes(workerId));
  }
}
