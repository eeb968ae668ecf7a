// Tests the statistics that the benchmarks derive from their figures. The ranks and the coverage come from published tables of the sign test.
import { expect, test } from "vitest";
import { compare } from "./comparison.ts";
import { medianInterval } from "./interval.ts";
import { median } from "./median.ts";
import { collectPairs, measureAlternately } from "./pairs.ts";
import { collectSamples } from "./samples.ts";
import { formatTable } from "./table.ts";

/** Returns the numbers from 1 to `count` in a fixed, shuffled order. */
const createShuffledNumbers = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1).sort((a, b) => ((a * 7) % 11) - ((b * 7) % 11));

test.each([
  [6, 1, 6],
  [7, 1, 7],
  [8, 1, 8],
  [9, 2, 8],
  [10, 2, 9],
  [11, 2, 10],
  [12, 3, 10],
  [13, 3, 11],
  [15, 4, 12],
  [17, 5, 13],
  [20, 6, 15],
  [25, 8, 18],
  [30, 10, 21],
  [50, 18, 33],
  [100, 40, 61],
])("the 95 %% confidence interval of the median of %i values lies between ranks %i and %i", (count, low, high) => {
  expect(medianInterval(createShuffledNumbers(count))).toEqual({ low, high });
});

test.each([0, 1, 2, 5])("%i values are too few for a confidence interval", (count) => {
  expect(medianInterval(createShuffledNumbers(count))).toBeUndefined();
});

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([10, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow();
});

// Nine rounds. The median of the `slower` ratios is 1.2, and the confidence interval is from the second (1.1) to the eighth (1.3).
const base = [100, 200, 100, 400, 100, 100, 200, 100, 100];
const slower = [130, 220, 120, 480, 140, 120, 240, 90, 130];
const alike = [99, 204, 100, 404, 97, 103, 198, 101, 95];
const heading = { title: "Calls", unit: "µs", better: "lower" } as const;
const comparison = compare(heading, new Map(Object.entries({ base, slower, alike })));

test("each ratio is relative to the base figure of the same round", () => {
  const [, row] = comparison.rows;
  expect(row).toMatchObject({
    median: 130,
    ratio: { median: 1.2, interval: { low: 1.1, high: 1.3 } },
    verdict: "worse",
  });
});

test("the result is inconclusive if the confidence interval contains 1", () => {
  expect(comparison.rows.map(({ verdict }) => verdict)).toEqual(["base", "worse", "inconclusive"]);
  expect(formatTable(comparison)).toMatch(/\| alike \|.*\| 0\.97 to 1\.02 \| no difference \|/);
  expect(formatTable(comparison)).toMatch(/\| slower \| 130\.0 \| 1\.20x \| 1\.10 to 1\.30 \| slower \|/);
});

test("a higher figure is better if the heading says so", () => {
  const rates = compare({ ...heading, better: "higher" }, new Map(Object.entries({ base, more: slower })));
  expect(rates.rows[1]?.verdict).toBe("better");
  expect(formatTable(rates)).toContain("| faster |");
});

test("the result is inconclusive after too few rounds", () => {
  const twoRounds = compare(heading, new Map(Object.entries({ base: [1, 1], twice: [2, 2] })));
  expect(twoRounds.rows[1]).toEqual({ label: "twice", median: 2, ratio: { median: 2 }, verdict: "inconclusive" });
});

test("a counted value has no interval", () => {
  const sizes = compare(
    { ...heading, exact: true },
    new Map(Object.entries({ base: [100], small: [50], same: [100] })),
  );
  expect(sizes.rows.map(({ verdict }) => verdict)).toEqual(["base", "better", "inconclusive"]);
  expect(formatTable(sizes)).toContain("| small | 50.0 | 0.50x | exact | smaller |");
});

test("a round measures the base first and last, and the others alternately forwards and backwards", async () => {
  const order: string[] = [];
  const candidates = ["base", "a", "b"].map((label) => ({ label }));
  const tables = await collectSamples(candidates, 2, async ({ label }) => {
    order.push(label);
    return [order.length, 10];
  });
  expect(order).toEqual(["base", "a", "b", "base", "base", "b", "a", "base"]);
  expect(tables.map((table) => [...table])).toEqual([
    [
      ["base", [2.5, 6.5]],
      ["a", [2, 7]],
      ["b", [3, 6]],
    ],
    [
      ["base", [10, 10]],
      ["a", [10, 10]],
      ["b", [10, 10]],
    ],
  ]);
});

test("pairs are measured alternately, and ratios compare adjacent slices", async () => {
  const order: string[] = [];
  const [table] = await collectPairs([{ label: "base" }, { label: "fast" }], 2, async () => {
    const figures = { base: [40, 20, 10], fast: [20, 11, 5] };
    const measureNext = (name: "base" | "fast") => async () => {
      order.push(name);
      return figures[name].shift() ?? Number.NaN;
    };
    return [await measureAlternately(3, measureNext("base"), measureNext("fast"))];
  });
  expect(order.slice(0, 6)).toEqual(["base", "fast", "fast", "base", "base", "fast"]);
  expect(table?.values).toEqual(new Map(Object.entries({ base: [20, 20], fast: [11, 11] })));
  expect(table?.ratios).toEqual(new Map(Object.entries({ base: [1, 1], fast: [0.5, 0.5] })));
  expect(compare(heading, table?.values, table?.ratios).rows[1]).toMatchObject({ median: 11, ratio: { median: 0.5 } });
});
