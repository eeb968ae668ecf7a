import { randomUUID } from "node:crypto";

/** The padding of an event: one long string, which is fast to parse, or many small objects. */
export type Padding = "text" | "objects";

const slot = { start: "2026-11-20T08:00:00Z", end: "2026-11-20T16:30:00Z", role: "kitchen porter", breakMinutes: 30 };
/** The size of a slot with the comma before it. */
const slotBytes = JSON.stringify(slot).length + 1;

/**
 * Returns the JSON of a worker's response to an offer, padded to `bytes` with fields that are not in the contract. Every event has new ids.
 */
export function makeEvent(bytes: number, padding: Padding = "text"): string {
  const slots: (typeof slot)[] = [];
  const event = { offerId: randomUUID(), workerId: randomUUID(), response: "accepted", slots, note: "" };
  const countMissingBytes = () => bytes - JSON.stringify(event).length;
  // At least one byte remains for the note.
  if (padding === "objects")
    slots.push(...Array.from({ length: Math.floor((countMissingBytes() - 1) / slotBytes) }, () => slot));
  event.note = "x".repeat(countMissingBytes());
  return JSON.stringify(event);
}
