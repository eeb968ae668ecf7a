import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "./fleet.ts";

export interface DisturbOptions {
  fleet: Fleet;
  kills: number;
  restarts: number;
  /** Restarts the database; there is one when there are restarts. */
  restart: (() => Promise<void>) | undefined;
  /** How many changes it has acked so far, and of how many it has told. */
  progress: () => { acked: number; delivered: number };
  /** Told after each. */
  onDone: (what: "kill" | "restart") => void;
  signal: AbortSignal;
}

/**
 * Between two disturbances so much must be delivered, and so little be left, if that does not take too long: else all there
 * is to see is how processes start, and how the others wait for the claims of a dead one to lapse.
 */
const leastDelivered = 50;
const mostDelivered = 150;
const mostLeft = 50;
const limitMs = 15_000;
const leastMs = 200;

/** Kills processes and restarts the database, in any order, one after the other. */
export async function disturb(options: DisturbOptions): Promise<void> {
  const { fleet, kills, restarts, restart, progress, onDone, signal } = options;
  const pause = async (): Promise<void> => {
    while (fleet.addresses.length === 0) {
      if (fleet.isDown) throw new Error(`no process is left: ${fleet.faults.join("; ")}`);
      await sleep(leastMs, undefined, { signal });
    }
    const enough = progress().delivered + leastDelivered + Math.random() * (mostDelivered - leastDelivered);
    const isReady = (): boolean => {
      const { acked, delivered } = progress();
      return delivered >= enough && acked - delivered <= mostLeft;
    };
    const overdueAt = performance.now() + limitMs;
    do await sleep(leastMs, undefined, { signal });
    while (!isReady() && performance.now() < overdueAt);
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
