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

/** Measures sequential calls: CPU time with a stubbed fetch, wall time with a loopback server. */
export async function measureCalls(clients: readonly ClientModule[], { quick }: SuiteOptions): Promise<Comparison[]> {
  const measureMethods = async (
    measuredClients: readonly ClientModule[],
    target: string,
    unit: string,
    task: Omit<CallTask, "module" | "baseModule">,
  ) => {
    const tables = await collectPairs(measuredClients, quick ? 2 : 12, ({ module }, base) =>
      runInFreshProcess<Pair[]>(new URL("call.ts", import.meta.url), {
        ...task,
        module: module.href,
        baseModule: base.module.href,
      } satisfies CallTask),
    );
    return ["GET", "POST"].map((method, index) =>
      compare({ title: `${method} ${target}`, unit, better: "lower" }, tables[index]?.values, tables[index]?.ratios),
    );
  };

  const stubResults = await measureMethods(
    clients.filter(({ candidate }) => candidate.usesFetch),
    "on a stub",
    "µs of CPU per call",
    {
      baseUrl: `https://service.example${pathPrefix}`,
      usesStub: true,
      // With fewer calls, V8 would still be compiling, and results would vary more between processes.
      warmUp: quick ? 200 : 15_000,
      slices: quick ? 3 : 27,
      callsPerSlice: quick ? 100 : 500,
    },
  );
  const server = await serveOffers();
  try {
    const loopbackResults = await measureMethods(clients, "on a loopback server", "µs per call", {
      baseUrl: server.baseUrl,
      usesStub: false,
      warmUp: quick ? 50 : 1_000,
      slices: quick ? 3 : 15,
      callsPerSlice: quick ? 20 : 60,
    });
    return [...stubResults, ...loopbackResults];
  } finally {
    await server.close();
  }
}
