import { type Comparison, compare } from "../comparison.ts";
import { runInFreshProcess } from "../fresh-process.ts";
import { collectPairs, type Pair } from "../pairs.ts";
import type { SuiteOptions } from "../suite.ts";
import type { CallTask } from "./call.ts";
import type { ClientCandidate } from "./candidate.ts";
import { pathPrefix } from "./path-prefix.ts";
import { serveOffers } from "./serve-offers.ts";

/** A candidate, and the module that exports it. */
export interface ClientModule {
  readonly label: string;
  readonly module: URL;
  readonly candidate: ClientCandidate;
}

/** Measures calls: CPU time with a stubbed fetch, wall time with a loopback server, one at a time and 50 in parallel. */
export async function measureCalls(clients: readonly ClientModule[], { quick }: SuiteOptions): Promise<Comparison[]> {
  const rounds = quick ? 2 : 12;
  const fetchClients = clients.filter(({ candidate }) => candidate.usesFetch);
  const stubResults = await measureMethods(fetchClients, rounds, {
    baseUrl: `https://service.example${pathPrefix}`,
    usesStub: true,
    // With fewer calls, V8 would still be compiling, and results would vary more between processes.
    warmUp: quick ? 200 : 15_000,
    slices: quick ? 3 : 27,
    callsPerSlice: quick ? 100 : 500,
    concurrency: 1,
  });
  const server = await serveOffers();
  try {
    const loopback = { baseUrl: server.baseUrl, usesStub: false, warmUp: quick ? 50 : 1_000, slices: quick ? 3 : 15 };
    const callsPerSlice = quick ? 20 : 60;
    return [
      ...stubResults,
      ...(await measureMethods(clients, rounds, { ...loopback, callsPerSlice, concurrency: 1 })),
      ...(await measureMethods(clients, rounds, { ...loopback, callsPerSlice: 10 * callsPerSlice, concurrency: 50 })),
    ];
  } finally {
    await server.close();
  }
}

/** Measures the clients in separate processes. @returns one comparison for GET and one for POST */
async function measureMethods(
  clients: readonly ClientModule[],
  rounds: number,
  task: Omit<CallTask, "module" | "baseModule">,
): Promise<Comparison[]> {
  const tables = await collectPairs(clients, rounds, ({ module }, base) =>
    runInFreshProcess<Pair[]>(new URL("call.ts", import.meta.url), {
      ...task,
      module: module.href,
      baseModule: base.module.href,
    } satisfies CallTask),
  );
  const target = task.usesStub ? "on a stub" : `on a loopback server${task.concurrency > 1 ? ", 50 in parallel" : ""}`;
  const unit = task.usesStub ? "µs of CPU per call" : "µs per call";
  return ["GET", "POST"].map((method, index) =>
    compare({ title: `${method} ${target}`, unit, better: "lower" }, tables[index]?.values, tables[index]?.ratios),
  );
}
