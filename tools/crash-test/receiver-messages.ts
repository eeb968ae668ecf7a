import type { Receipt } from "./verify-history.ts";

/** Messages to the receiver's process: first its tenants and whether there are faults; later the end of the faults. */
export type ToReceiver =
  | { type: "open"; tenants: { id: string; secret: string }[]; faults: boolean }
  /** A sender was killed, stands still or goes on: what is under way, and what comes in now, others may send as well. */
  | { type: "disown" }
  | { type: "behave" };

/** Messages from it. */
export type FromReceiver =
  | { type: "listening"; address: string }
  | { type: "took"; receipt: Receipt }
  | { type: "refused"; reason: string }
  /** More requests of one tenant were under way at once than ever before. */
  | { type: "peak"; atOnce: number };
