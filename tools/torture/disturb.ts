import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "./fleet.ts";

export interface DisturbOptions {
  fleet: Fleet;
  kills: number;
  restarts: number;
  /** Restarts the database; there is one when there are restarts. */
  restart: (() => Promise<void>) | undefined;
  /** How much the platform has acked so far. */
  acked: () => number;
  /** Told after each. */
  onDone: (what: "kill" | "restart") => void;
  signal: AbortSignal;
}

/** Something must happen between two disturbances, or all there is to see is the platform's start; up to a limit. */
const leastAcked = 50;
const mostAcked = 150;
const limitMs = 15_000;
const leastMs = 200;

/** Kills processes and restarts the database, in any order, one after the other. */
export async function disturb(options: DisturbOptions): Promise<void> {
  const { fleet, kills, restarts, restart, acked, onDone, signal } = options;
  const pause = async (): Promise<void> => {
    while (fleet.addresses.length === 0) await sleep(leastMs, undefined, { signal });
    const enough = acked() + leastAcked + Math.random() * (mostAcked - leastAcked);
    const overdueAt = performance.now() + limitMs;
    do await sleep(leastMs, undefined, { signal });
    while (acked() < enough && performance.now() < overdueAt);
  };
  const left = { kill: kills, restart: restarts };
  while (left.kill + left.restart > 0) {
    await pause();
    const what = Math.random() * (left.kill + left.restart) < left.kill ? "kill" : "restart";
    left[what] -= 1;
    if (what === "kill") {
      await fleet.kill();
    } else {
      // A process that starts while there is no database does not start.
      await fleet.allUp();
      await restart?.();
    }
    onDone(what);
  }
}
