import { compareDateTimes } from "@offers/contract/date-time";
import type { Offer } from "../offer.ts";
import type { Creation } from "./check-bodies.ts";
import { type FieldErrors, Refusal } from "./refusal.ts";
import type { TestNotification } from "./test-service.ts";

/** An organisation, which owns offers and may have several keys. */
export interface Organisation {
  readonly userIds: Set<string>;
}

interface Entry {
  readonly owner: Organisation;
  readonly offer: Omit<Offer, "isHistoric">;
}

/** All offers, and the notifications to their workers. For the state transitions, see interface.md, D-06 to D-11 and D-36. */
export class OfferStore {
  readonly notifications: TestNotification[] = [];
  readonly #entries = new Map<string, Entry>();
  #lastRecipientId = 0;

  create(owner: Organisation, creation: Creation, getWorkerName: (workerId: string) => string, now: Date): string {
    const id = `offer_${crypto.randomUUID()}`;
    // A repeated id counts once (D-30).
    const recipients = [...new Set(creation.workerIds)].map((workerId) => {
      this.#lastRecipientId += 1;
      return { id: this.#lastRecipientId, workerId, name: getWorkerName(workerId), response: "none", confirmation: "" };
    });
    const { title, details = "", locationPlaceId = "", events = [] } = creation;
    // `widthdrawn` is the contract's spelling.
    const flags = { widthdrawn: false, complete: false };
    const offer = { id, title, details, ...flags, locationPlaceId, createdAt: now.toISOString(), events, recipients };
    this.#entries.set(id, { owner, offer });
    for (const { workerId } of recipients) this.notifications.push({ offerId: id, workerId, reason: "offer" });
    return id;
  }

  /** Returns the offer. @throws {Refusal} `offer_not_found`, even for another organisation's offer (D-20) */
  read(owner: Organisation, id: string, now: Date): Offer {
    const { offer } = this.#find(owner, id);
    const { events } = offer;
    const hasEnded = ({ end }: { end: string }): boolean => compareDateTimes(end, now.toISOString()) <= 0;
    return { ...offer, isHistoric: events.length > 0 && events.every(hasEnded) };
  }

  /**
   * Completes the offer, and notifies all its workers.
   *
   * @throws {Refusal} `offer_not_found`, `offer_completed`, `offer_withdrawn` or `worker_not_applied`
   */
  complete(owner: Organisation, id: string, workerIds: readonly string[]): void {
    const { offer } = this.#find(owner, id);
    requireOpen(offer);
    const errors: FieldErrors = new Map();
    for (const [index, workerId] of workerIds.entries())
      if (!offer.recipients.some((recipient) => recipient.workerId === workerId && recipient.response === "applied"))
        errors.set(`[${index}]`, ["Choose a worker who has applied; read the offer to see who has."]);
    if (errors.size > 0)
      throw new Refusal("worker_not_applied", "Choose only workers who have applied; see errors.", { errors });
    offer.complete = true;
    for (const recipient of offer.recipients) {
      const isChosen = workerIds.includes(recipient.workerId);
      if (isChosen) recipient.confirmation = "confirmed";
      // All workers are notified, even those who rejected or did not respond (D-09).
      const reason = isChosen ? "successful" : "unsuccessful";
      this.notifications.push({ offerId: id, workerId: recipient.workerId, reason });
    }
  }

  /** Withdraws the offer, and notifies all its workers. @throws {Refusal} `offer_not_found` */
  withdraw(owner: Organisation, id: string): void {
    const { offer } = this.#find(owner, id);
    // A second withdrawal sends no notifications (D-10).
    if (offer.widthdrawn) return;
    offer.widthdrawn = true;
    for (const { workerId } of offer.recipients)
      this.notifications.push({ offerId: id, workerId, reason: "withdrawn" });
  }

  /**
   * Records a worker's response.
   *
   * @returns the offer's owner, and whether the response has changed
   * @throws {Refusal} `offer_not_found`, `offer_completed` or `offer_withdrawn`
   */
  respond(id: string, workerId: string, response: "applied" | "rejected"): { owner: Organisation; isChanged: boolean } {
    const entry = this.#entries.get(id);
    const recipient = entry?.offer.recipients.find((candidate) => candidate.workerId === workerId);
    if (entry === undefined || recipient === undefined)
      throw new Refusal("offer_not_found", "No offer with this id was sent to this worker.");
    requireOpen(entry.offer);
    const isChanged = recipient.response !== response;
    recipient.response = response;
    return { owner: entry.owner, isChanged };
  }

  #find(owner: Organisation, id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry?.owner === owner) return entry;
    throw new Refusal("offer_not_found", "You have no offer with this id; was it created with this key?");
  }
}

/** Throws a refusal if the offer is complete or withdrawn. If it is both, the refusal reports the withdrawal (D-08). */
function requireOpen({ complete, widthdrawn }: Entry["offer"]): void {
  if (widthdrawn)
    throw new Refusal(
      "offer_withdrawn",
      "The offer is withdrawn. It accepts no more responses and cannot be completed.",
    );
  if (complete)
    throw new Refusal(
      "offer_completed",
      "The offer is complete. It accepts no more responses and cannot be completed again.",
    );
}
