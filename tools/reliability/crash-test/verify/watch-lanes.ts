import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../../../examples/platform/src/store/store.ts";
import type { TimeSpan } from "./verify-store.ts";

/** A lease of 4 s, the time to see that it has ended, and as much again for a busy machine. */
const longestMs = 10_000;

/** Looks each second for an endpoint that waits, while all of its capacity is free. */
export interface WatchedLanes {
  /** @returns a fault for each endpoint that waited for too long */
  stop(): Promise<string[]>;
}

/** @param outages when no process was at work, or no database */
export function watchLanes({ execute }: Store, outages: () => readonly TimeSpan[]): WatchedLanes {
  const waited = new Set<string>();
  let looks = 0;
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const since = Date.now() - longestMs;
    const ago = `now() - interval '${longestMs} ms'`;
    const { rows } = await execute(`
      select organisation_id as lane from endpoints
      where disabled_at is null and (breaker_open_until is null or breaker_open_until < ${ago})
        and exists (select from deliveries where organisation_id = endpoints.organisation_id and due_at < ${ago})
        and not exists (select from crash_test_leases
          where queue = 'webhooks' and lane = organisation_id and (ended_at is null or ended_at > ${ago}))`);
    looks += 1;
    if (outages().every(({ to }) => to < since)) for (const { lane } of rows) waited.add(String(lane));
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      // It fails while the run restarts the database.
      await look().catch(() => undefined);
      await sleep(1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      if (looks === 0) return ["the database was never asked which endpoints wait"];
      return [...waited].map(
        (lane) => `${lane} waited for more than ${longestMs / 1_000} s while its capacity was free`,
      );
    },
  };
}
