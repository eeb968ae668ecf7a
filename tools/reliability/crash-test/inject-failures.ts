import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "./fleet.ts";

export type Failure = "kill" | "restart" | "stall" | "turnover";

export interface InjectOptions {
  fleet: Fleet;
  processes: number;
  kills: number;
  restarts: number;
  stalls: number;
  /** Restarts the database; there is one when there are restarts. */
  restart: (() => Promise<void>) | undefined;
  /** How many changes it has acked and delivered so far. */
  progress: () => { acked: number; delivered: number };
  /** Called after each. */
  onDone: (what: Failure) => void;
  signal: AbortSignal;
}

/**
 * Before each failure the run waits until the platform has delivered `leastDelivered` to `mostDelivered` more changes, and has at
 * most `mostLeft` left to deliver. After `limitMs` it waits no longer. Without the wait the run would only show how processes
 * start, and how they wait for the leases of a dead process to expire.
 */
const leastDelivered = 50;
const mostDelivered = 150;
const mostLeft = 50;
const limitMs = 15_000;
const leastMs = 200;
/** Longer than the lease of a process, which is 4 s. */
const stallMs = { least: 5_000, most: 7_000 };

/** Kills processes, stops them, and restarts the database, in any order. While one is stopped others are killed. */
export async function injectFailures(options: InjectOptions): Promise<void> {
  const { fleet, processes, restart, progress, onDone, signal } = options;
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
  const left = [
    ...Array<Failure>(options.kills).fill("kill"),
    ...Array<Failure>(options.restarts).fill("restart"),
    ...Array<Failure>(options.stalls).fill("stall"),
  ];
  while (left.length > 0) {
    await pause();
    const [what] = left.splice(Math.floor(Math.random() * left.length), 1);
    if (what === undefined) break;
    if (what === "kill") await fleet.kill();
    // One is left to take over, if there are several.
    while (what === "stall" && fleet.addresses.length < Math.min(2, processes))
      await sleep(leastMs, undefined, { signal });
    if (what === "stall") fleet.stall(stallMs.least + Math.random() * (stallMs.most - stallMs.least));
    if (what === "restart") {
      // A process that starts while there is no database does not start.
      await fleet.allUp();
      await restart?.();
    }
    onDone(what);
  }
  await fleet.allAtWork();
}

/** Processes come and go for `seconds`: one is killed or asked to end every few seconds, whatever is left to deliver. */
export async function turnOver({
  fleet,
  everySeconds,
  seconds,
  onDone,
  signal,
}: Pick<InjectOptions, "fleet" | "onDone" | "signal"> & { everySeconds: number; seconds: number }): Promise<void> {
  if (everySeconds === 0) return;
  for (let passed = everySeconds; passed < seconds; passed += everySeconds) {
    await sleep(1_000 * everySeconds, undefined, { signal });
    if (Math.random() < 0.5) await fleet.kill();
    else fleet.end();
    onDone("turnover");
  }
}
