import type { StoreName } from "./data-location.ts";
import type { TrafficMutation } from "./inject/mutate-traffic.ts";
import type { PlatformBug } from "./inject/platform-bug.ts";

export interface CrashTestOptions {
  store: StoreName;
  /** How often a process of the platform is killed. */
  kills: number;
  /** How often the database is restarted as after a crash. */
  restarts: number;
  /** How often a process is stopped for longer than its lease. */
  stalls: number;
  processes: number;
  /** The least duration of the load. */
  seconds: number;
  /** Changes a second. */
  rate: number;
  /** The most time for what is left when all failures are over. */
  drainSeconds: number;
  /** Injected between the platform and the receiver. */
  trafficMutations: readonly TrafficMutation[];
  platformBugs: readonly PlatformBug[];
  onProgress: (line: string) => void;
  /** Ends the run at once. */
  signal: AbortSignal;
}
