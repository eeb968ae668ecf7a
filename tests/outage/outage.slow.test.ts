import { describe, expect, onTestFinished, test } from "vitest";
import { storesUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
import { createDatabase as createReceiversDatabase, isPostgresRunning } from "../../scripts/test-database.ts";
import { type Mode, runOutages } from "./outage.ts";

// To use a different seed: SEED=7 npm run check -- slow tests/outage
const seed = Number(process.env.SEED ?? 20_261_124);
const outages = Number(process.env.OUTAGES ?? 25);
const stores = await storesUnderTest();

describe.runIf(await isPostgresRunning())("a receiver that is repeatedly down", { timeout: 600_000 }, () => {
  describe.each(stores)("from a platform on $title", (store) => {
    test.each<Mode>(["reconcile", "feed"])("catches up in %s mode", async (mode) => {
      const [database, receivers] = await Promise.all([store.createDatabase(), createReceiversDatabase()]);
      onTestFinished(async () => {
        await database.remove();
        await receivers.drop();
      });
      const report = await runOutages({ mode, outages, seed, database, databaseUrl: receivers.url });
      console.log(store.title, mode, JSON.stringify(report));
      expect(report.violations).toEqual([]);
      expect(report.changes).toBeGreaterThan(outages);
    });
  });
});
