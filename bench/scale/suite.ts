import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type DataLocation, findPrograms, openDataLocation } from "../../tools/reliability/crash-test/data-location.ts";
import { type Comparison, compare } from "../comparison.ts";
import type { Suite } from "../suite.ts";
import type { Claims, Task } from "./claims.ts";
import { type Burden, burdens } from "./grow.ts";
import { measureHeldSnapshot } from "./held-snapshot.ts";

const count = (number: number): string => number.toLocaleString("en-GB");

const labels: Record<Burden, (size: number) => string> = {
  idle: (size) => `+ ${count(size / 10)} idle endpoints`,
  disabled: (size) => `+ ${count(size)} deliveries of a disabled endpoint`,
  notDue: (size) => `+ ${count(size)} deliveries that are not due, of ${count(size / 10)} endpoints`,
  settled: (size) => `+ ${count(size)} settled deliveries`,
  paused: (size) => `+ ${count(size / 1_000)} paused endpoints with five deliveries each`,
};

/**
 * What a claim of a hundred deliveries costs beside all that a store may hold, without HTTP. PostgreSQL is one of the run's own,
 * with its defaults: autovacuum is on. Without its programs the one at `DATABASE_URL` or 127.0.0.1:5432 serves, as it is set.
 */
export const measureScale: Suite = async (options) => {
  const hasPrograms = findPrograms() !== undefined;
  const comparisons: Comparison[] = [];
  for (const name of ["pglite", "postgres"] as const) {
    const place = await openDataLocation(name, name === "postgres" && hasPrograms);
    comparisons.push(...(await measureStore(place, options.quick)));
    await place.remove();
  }
  return [...comparisons, ...(await measureHeldSnapshot(options))];
};

async function measureStore(place: DataLocation, quick: boolean): Promise<Comparison[]> {
  const [rounds, deliveries, size] = quick ? [1, 1_000, 10_000] : [7, 4_000, 1_000_000];
  const child = new ForkedProcess(new URL("claims.ts", import.meta.url), JSON.stringify(place.options));
  await child.message();
  const request = <T>(task: Task) => child.request<T>(task);
  const measured = { claimMs: new Map(), perSecond: new Map(), emptyLookMs: new Map() } as const satisfies Record<
    keyof Claims,
    Map<string, number[]>
  >;
  const measure = async (label: string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const claims = await request<Claims>({ deliver: deliveries });
      for (const [name, figures] of Object.entries(measured))
        figures.set(label, [...(figures.get(label) ?? []), claims[name as keyof Claims]]);
    }
  };
  await measure("20 endpoints");
  for (const burden of burdens) {
    await request({ burden, size });
    await measure(labels[burden](size));
  }
  await request("upkeep");
  await measure("the same after vacuum analyze");
  await child.stop();
  const title = (of: string) => `${of}, ${place.title}`;
  return [
    compare({ title: title("A claim of 100 deliveries"), unit: "ms", better: "lower" }, measured.claimMs),
    compare(
      { title: title("Deliveries claimed and settled"), unit: "per second", better: "higher" },
      measured.perSecond,
    ),
    compare({ title: title("A look when nothing is due"), unit: "ms", better: "lower" }, measured.emptyLookMs),
  ];
}
