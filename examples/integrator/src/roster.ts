import type { OfferEventDeleted, TimelineChanged, WorkerAddedContact, WorkerOfferResponse } from "@offers/webhook-kit";

/** What the webhooks have told so far. An event may come twice, so everything is set and nothing counted. */
export class Roster {
  readonly #answers = new Map<string, Map<string, string>>();
  readonly #gaps = new Map<string, Map<string, string>>();
  readonly #sharedWith = new Set<string>();
  readonly #timelines = new Map<string, string>();

  answer({ offerId, workerId, response }: WorkerOfferResponse): void {
    this.#answers.set(offerId, (this.#answers.get(offerId) ?? new Map()).set(workerId, response));
  }

  share({ workerId }: WorkerAddedContact): void {
    this.#sharedWith.add(workerId);
  }

  /** A worker who was to come will not: somebody else is needed from then on. */
  leaveGap({ offerId, workerId, eventStart }: OfferEventDeleted): void {
    this.#gaps.set(offerId, (this.#gaps.get(offerId) ?? new Map()).set(workerId, eventStart));
  }

  changeTimeline({ workerId, completedAt }: TimelineChanged): void {
    this.#timelines.set(workerId, completedAt);
  }

  toJSON(): object {
    return {
      offers: byOffer(this.#answers),
      gaps: byOffer(this.#gaps),
      sharedWith: [...this.#sharedWith],
      timelines: Object.fromEntries(this.#timelines),
    };
  }
}

const byOffer = (offers: Map<string, Map<string, string>>) =>
  Object.fromEntries([...offers].map(([offerId, workers]) => [offerId, Object.fromEntries(workers)]));
