import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createMetrics } from "../../../examples/platform/src/observability/metrics.ts";
import type { Store } from "../../../examples/platform/src/store/store.ts";

const docs = join(import.meta.dirname, "../../../docs");
// Every metric is listed even without a database.
const metrics = createMetrics({} as Store, () => new Date());
afterAll(() => metrics.stop());

test.each(["monitoring/dashboard.json", "guides/production.md"])(
  "%s uses only metrics that the platform has",
  async (file) => {
    const { text } = await metrics.read();
    const metricNames = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const usedNames = [...readFileSync(join(docs, file), "utf8").matchAll(/\boffers_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(?:bucket|count|sum)$/, ""),
    );
    expect(usedNames.length).toBeGreaterThan(4);
    expect(usedNames.filter((name) => !metricNames.includes(name))).toEqual([]);
  },
);
