import type { Receipt } from "./judge.ts";

/** What the receiver's process is told: first whose requests it takes, and with faults; later that the faults end. */
export type ToReceiver =
  | { type: "open"; tenants: { id: string; secret: string }[]; faults: boolean }
  | { type: "behave" };

/** What it tells. */
export type FromReceiver =
  | { type: "listening"; address: string }
  | { type: "took"; receipt: Receipt }
  | { type: "refused"; reason: string };
