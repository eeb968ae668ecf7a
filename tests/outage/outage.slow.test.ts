import { describe, expect, onTestFinished, test } from "vitest";
import { storesUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
import { createDatabase as createReceiversDatabase, findPostgres } from "../../scripts/test-database.ts";
import { type Mode, type OutagesOptions, runOutages } from "./outage.ts";

// Another seed: SEED=7 npm run check -- slow tests/outage
const seed = Number(process.env.SEED ?? 20_261_124);
const outages = Number(process.env.OUTAGES ?? 25);
const stores = await storesUnderTest();

describe.runIf(await findPostgres())("a receiver that is repeatedly down", { timeout: 600_000 }, () => {
  const run = async (options: Omit<OutagesOptions, "database" | "databaseUrl" | "seed">, store = stores[0]) => {
    const [database, receivers] = await Promise.all([store?.createDatabase(), createReceiversDatabase()]);
    if (!database) throw new Error("there is no store");
    onTestFinished(async () => {
      await database.remove();
      await receivers.drop();
    });
    return runOutages({ seed, database, databaseUrl: receivers.url, ...options });
  };

  describe.each(stores)("from a platform on $title", (store) => {
    test.each<Mode>(["reconcile", "feed"])("catches up by the %s", async (mode) => {
      const report = await run({ mode, dialect: "reference", outages }, store);
      console.log(store.title, mode, JSON.stringify(report));
      expect(report.wrong).toEqual([]);
      expect(report.changes).toBeGreaterThan(outages);
    });
  });
});
