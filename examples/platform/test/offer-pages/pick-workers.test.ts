import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

describe("picking workers for an offer", () => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let hana: PageClient;
  beforeAll(async () => {
    const [store] = await anyStore();
    database = await store.createDatabase();
    await (await openPlatform(database)).close();
    const seedingStore = await openStore(database.options);
    const workers = Array.from({ length: 200 }, (_, index) => ({
      id: `picked_${index + 1}`,
      name: `Picked ${index + 1}`,
      password_hash: "",
    }));
    await seedingStore.db.insertInto("workers").values(workers).execute();
    await seedingStore.close();
    platform = await openPlatform(database);
    hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  /** Returns the ids of the unselected workers in the form or, if `state` is ` checked`, of the selected workers. */
  const listWorkerIds = (text: string, state: "" | " checked" = ""): string[] =>
    [...text.matchAll(/<input type="checkbox" name="worker" value="([^"]+)"( checked)?>/g)]
      .filter(([, , checked]) => (checked ?? "") === state)
      .map(([, id = ""]) => id);

  test("workers are found by name or id, and sorted by the numbers in their names", async () => {
    const { text } = await hana.send("/offers/new", { title: "Kept", act: "searchWorkers", workerSearch: "picked" });
    expect(listWorkerIds(text).slice(0, 11)).toEqual(Array.from({ length: 11 }, (_, index) => `picked_${index + 1}`));
    expect(text).toContain("200 workers match “picked”; 140 not shown");
    expect(text).toContain('value="Kept"');
    const { text: exactMatch } = await hana.send("/offers/new", { act: "searchWorkers", workerSearch: "PICKED_137" });
    expect(listWorkerIds(exactMatch)).toEqual(["picked_137"]);
  });

  test("a search and a selected worker that PostgreSQL cannot store find nobody", async () => {
    const fields = { title: "Kept", act: "searchWorkers", workerSearch: "picked\0", worker: "picked\0" };
    const { status, text } = await hana.send("/offers/new", fields);
    expect(status).toBe(200);
    expect(listWorkerIds(text, " checked")).toEqual([]);
    expect(text).toContain('value="Kept"');
  });

  test("all matching workers can be selected, stay selected in the next search, and receive the offer", async () => {
    const selectionPage = await hana.send("/offers/new", { act: "selectMatching", workerSearch: "Picked 1" });
    const selectedIds = listWorkerIds(selectionPage.text, " checked");
    expect(selectedIds).toHaveLength(111);
    const search = { act: "searchWorkers", workerSearch: "amal", worker: selectedIds };
    const searchPage = await hana.send("/offers/new", search);
    expect(listWorkerIds(searchPage.text, " checked")).toHaveLength(111);
    expect(listWorkerIds(searchPage.text)).toEqual(["worker_amal"]);
    const created = await hana.send("/offers/new", {
      act: "create",
      title: "To many",
      workerSearch: "amal",
      worker: [...selectedIds, "worker_amal"],
    });
    expect(created.status).toBe(303);
    const { text } = await hana.get(created.location ?? "");
    expect(text).toContain("0 applied, 0 rejected, 112 without a response");
  });
});
