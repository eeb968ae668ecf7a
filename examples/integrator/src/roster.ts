import type { OfferEventDeleted, TimelineChanged, WorkerAddedContact, WorkerOfferResponse } from "@offers/webhook-kit";

/**
 * Stores the data from webhooks. An event may arrive twice, so each method is idempotent: it sets values instead of incrementing
 * them.
 */
export class Roster {
  readonly #responses = new Map<string, Map<string, string>>();
  readonly #gaps = new Map<string, Map<string, string>>();
  readonly #sharedWorkers = new Set<string>();
  readonly #timelines = new Map<string, string>();

  recordResponse({ offerId, workerId, response }: WorkerOfferResponse): void {
    this.#responses.set(offerId, (this.#responses.get(offerId) ?? new Map()).set(workerId, response));
  }

  addSharedWorker({ workerId }: WorkerAddedContact): void {
    this.#sharedWorkers.add(workerId);
  }

  /** Records that an assigned worker has cancelled this time slot. */
  recordCancellation({ offerId, workerId, eventStart }: OfferEventDeleted): void {
    this.#gaps.set(offerId, (this.#gaps.get(offerId) ?? new Map()).set(workerId, eventStart));
  }

  recordTimeline({ workerId, completedAt }: TimelineChanged): void {
    this.#timelines.set(workerId, completedAt);
  }

  toJSON(): object {
    return {
      offers: toPlainObject(this.#responses),
      gaps: toPlainObject(this.#gaps),
      sharedWith: [...this.#sharedWorkers],
      timelines: Object.fromEntries(this.#timelines),
    };
  }
}

/** Converts nested maps to plain objects, because JSON.stringify would print the maps as {}. */
const toPlainObject = (offers: Map<string, Map<string, string>>) =>
  Object.fromEntries([...offers].map(([offerId, workers]) => [offerId, Object.fromEntries(workers)]));
