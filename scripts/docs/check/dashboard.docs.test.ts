import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createMetrics } from "../../../examples/platform/src/observability/metrics.ts";
import type { Store } from "../../../examples/platform/src/store/store.ts";

const docs = join(import.meta.dirname, "../../../docs");
// Without a database, it still lists every metric.
const metrics = createMetrics({} as Store, () => new Date());
afterAll(() => metrics.stop());

test.each(["monitoring/dashboard.json", "guides/production.md"])(
  "%s uses only metrics that the platform has",
  async (file) => {
    const { text } = await metrics.read();
    const known = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const named = [...readFileSync(join(docs, file), "utf8").matchAll(/\boffers_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(?:bucket|count|sum)$/, ""),
    );
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  },
);
