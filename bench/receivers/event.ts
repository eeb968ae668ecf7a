import { randomUUID } from "node:crypto";

/** A worker's answer to an offer, made `bytes` long by fields that the contract does not know. No two are alike. */
export function makeEvent(bytes: number): string {
  const event = {
    offerId: randomUUID(),
    workerId: randomUUID(),
    response: "accepted",
    slots: [] as object[],
    note: "",
  };
  const slot = { start: "2026-11-20T08:00:00Z", end: "2026-11-20T16:30:00Z", role: "kitchen porter", breakMinutes: 30 };
  const slotBytes = JSON.stringify(slot).length + 1;
  const missing = () => bytes - JSON.stringify(event).length;
  event.slots = Array.from({ length: Math.max(0, Math.floor((missing() - 1) / slotBytes)) }, () => slot);
  event.note = "x".repeat(Math.max(0, missing()));
  return JSON.stringify(event);
}
