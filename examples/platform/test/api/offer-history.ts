/** One thing that somebody does to one offer. */
export type Deed =
  | { type: "open" | "apply" | "reject" | "close"; workerId: string }
  | { type: "complete"; organisation: Organisation; workerIds: readonly string[] }
  | { type: "withdraw"; organisation: Organisation };

/** Ours created the offer. */
export type Organisation = "ours" | "theirs";

export type Verdict = "done" | "offer_not_found" | "offer_completed" | "offer_withdrawn" | "worker_not_applied";

/** All that anybody can see or hear of one offer. */
export interface OfferPicture {
  complete: boolean;
  widthdrawn: boolean;
  /** In the order of addressing. */
  recipients: { workerId: string; response: string; confirmation: string }[];
  /** What the organisation is told, in order. */
  events: { organisation: Organisation; workerId: string; response: string }[];
  /** What each worker is told, in order; of every worker there is, addressed or not. */
  told: Record<string, string[]>;
}

/**
 * The model: what interface.md and the decisions say of an offer, as questions about all that was done to it. Written from
 * their words; it has no states and shares nothing with the platform.
 */
export class OfferHistory {
  readonly #addressed: readonly string[];
  readonly #deeds: Deed[] = [];

  constructor(workerIds: readonly string[]) {
    this.#addressed = [...new Set(workerIds)];
  }

  /** Whether the deed may be done, and why not. */
  judge(deed: Deed): Verdict {
    // "The worker has received the offer" (D-36); an organisation has the offers it created (D-20).
    const isTheirs = "workerId" in deed ? this.#addressed.includes(deed.workerId) : deed.organisation === "ours";
    if (!isTheirs) return "offer_not_found";
    if (deed.type === "open" || deed.type === "close" || deed.type === "withdraw") return "done";
    if (this.#wasDone("withdraw")) return "offer_withdrawn";
    if (this.#wasDone("complete")) return "offer_completed";
    if (deed.type !== "complete") return "done";
    const mayBeNamed = deed.workerIds.length > 0 && deed.workerIds.every((id) => this.#lastAnswer(id) === "applied");
    return mayBeNamed ? "done" : "worker_not_applied";
  }

  add(deed: Deed): void {
    this.#deeds.push(deed);
  }

  picture(allWorkers: readonly string[]): OfferPicture {
    return {
      complete: this.#wasDone("complete"),
      widthdrawn: this.#wasDone("withdraw"),
      recipients: this.#addressed.map((workerId) => ({
        workerId,
        response: this.#lastAnswer(workerId),
        confirmation: this.#getsTheWork(workerId) ? "confirmed" : "",
      })),
      events: this.#deeds.flatMap((deed, index) => {
        if (deed.type !== "apply" && deed.type !== "reject") return [];
        const { workerId } = deed;
        // "A repeat of the same response is none" (D-08).
        if (this.#lastAnswer(workerId, index) === this.#lastAnswer(workerId, index + 1)) return [];
        return [{ organisation: "ours", workerId, response: deed.type === "apply" ? "accepted" : "rejected" }];
      }),
      told: Object.fromEntries(allWorkers.map((workerId) => [workerId, this.#told(workerId)])),
    };
  }

  /** "Every worker in workerIds", "all workers are told whether they were successful", "all workers addressed". */
  #told(workerId: string): string[] {
    if (!this.#addressed.includes(workerId)) return [];
    const decision = this.#getsTheWork(workerId) ? "successful" : "unsuccessful";
    return [
      "offer",
      ...(this.#wasDone("complete") ? [decision] : []),
      ...(this.#wasDone("withdraw") ? ["withdrawn"] : []),
    ];
  }

  #wasDone(type: Deed["type"]): boolean {
    return this.#deeds.some((deed) => deed.type === type);
  }

  #lastAnswer(workerId: string, before = this.#deeds.length): string {
    const response = this.#deeds
      .slice(0, before)
      .findLast((deed) => (deed.type === "apply" || deed.type === "reject") && deed.workerId === workerId);
    if (response === undefined) return "none";
    return response.type === "apply" ? "applied" : "rejected";
  }

  #getsTheWork(workerId: string): boolean {
    return this.#deeds.some((deed) => deed.type === "complete" && deed.workerIds.includes(workerId));
  }
}
