import type { Receipt } from "./verify-history.ts";

/** What the receiver's process is told: first whose requests it takes, and with faults; later that the faults end. */
export type ToReceiver =
  | { type: "open"; tenants: { id: string; secret: string }[]; faults: boolean }
  /** A sender was killed, stands still or goes on: what is under way, and what comes in now, others may send as well. */
  | { type: "disown" }
  | { type: "behave" };

/** What it tells. */
export type FromReceiver =
  | { type: "listening"; address: string }
  | { type: "took"; receipt: Receipt }
  | { type: "refused"; reason: string }
  /** More requests of one tenant were under way at once than ever before. */
  | { type: "peak"; atOnce: number };
