import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import pg from "pg";

/** What a database does between two moments. */
export interface DatabaseLoad {
  /** Of all its processes. */
  cpuSeconds: number;
  /** The mean number of the platform's sessions that wait for a lock. */
  waiting: number;
}

const sampleEveryMs = 10;

/** @returns ends the measurement. The database must be on this machine: its processes' CPU is read from `/proc` */
export async function measureLoad(databaseUrl: string): Promise<() => Promise<DatabaseLoad>> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "bench" });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const server = statOf(rows[0]?.pid ?? 0).parent;
  const before = cpuSecondsOf(server);
  let samples = 0;
  let waiting = 0;
  const stopping = new AbortController();
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await client.query<{ waiting: number }>(`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`);
      samples += 1;
      waiting += rows[0]?.waiting ?? 0;
      await setTimeout(sampleEveryMs);
    }
  })();
  return async () => {
    const cpuSeconds = cpuSecondsOf(server) - before;
    stopping.abort();
    await sampling;
    await client.end();
    return { cpuSeconds, waiting: waiting / samples };
  };
}

/** Of `getconf CLK_TCK`: Linux reports it so on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statOf(pid: number): { parent: number; ticks: number; ticksOfEndedChildren: number } {
  // The second field, the name in parentheses, may contain spaces.
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (index) => fields[index],
  );
  return { parent, ticks: user + system, ticksOfEndedChildren: endedUser + endedSystem };
}

/** Of a PostgreSQL server's first process and its children, also of those that have ended. */
function cpuSecondsOf(server: number): number {
  const first = statOf(server);
  let ticks = first.ticks + first.ticksOfEndedChildren;
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = statOf(Number(name));
      if (stat.parent === server) ticks += stat.ticks;
    } catch {
      // It has ended since the folder was read.
    }
  return ticks / ticksPerSecond;
}
