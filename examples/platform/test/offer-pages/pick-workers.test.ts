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
    if (store === undefined) throw new Error("no store to test");
    database = await store.createDatabase();
    await (await openPlatform(database)).close();
    const filled = await openStore(database.options);
    const many = Array.from({ length: 200 }, (_, at) => ({
      id: `picked_${at + 1}`,
      name: `Picked ${at + 1}`,
      password_hash: "",
    }));
    await filled.db.insertInto("workers").values(many).execute();
    await filled.close();
    platform = await openPlatform(database);
    hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const boxes = (text: string, state: "" | " checked" = ""): string[] =>
    [...text.matchAll(/<input type="checkbox" name="worker" value="([^"]+)"( checked)?>/g)]
      .filter(([, , checked]) => (checked ?? "") === state)
      .map(([, id = ""]) => id);

  test("finds them by name or id, and sorts numbers in order", async () => {
    const { text } = await hana.send("/offers/new", { title: "Kept", act: "searchWorkers", workerSearch: "picked" });
    expect(boxes(text).slice(0, 11)).toEqual(Array.from({ length: 11 }, (_, at) => `picked_${at + 1}`));
    expect(text).toContain("200 workers match “picked”; 140 not shown");
    expect(text).toContain('value="Kept"');
    const { text: one } = await hana.send("/offers/new", { act: "searchWorkers", workerSearch: "PICKED_137" });
    expect(boxes(one)).toEqual(["picked_137"]);
  });

  test("selects all matches, keeps them through another search, and sends the offer to all of them", async () => {
    const first = await hana.send("/offers/new", { act: "selectMatching", workerSearch: "Picked 1" });
    const selected = boxes(first.text, " checked");
    expect(selected).toHaveLength(111);
    const second = await hana.send("/offers/new", { act: "searchWorkers", workerSearch: "amal", worker: selected });
    expect(boxes(second.text, " checked")).toHaveLength(111);
    expect(boxes(second.text)).toEqual(["worker_amal"]);
    const sent = await hana.send("/offers/new", {
      act: "create",
      title: "To many",
      workerSearch: "amal",
      worker: [...selected, "worker_amal"],
    });
    expect(sent.status).toBe(303);
    const { text } = await hana.get(sent.location ?? "");
    expect(text).toContain("0 applied, 0 rejected, 112 without a response");
  });

  test("searches with Enter without a script, and creates nothing", async () => {
    const form = { title: "Not yet", workerSearch: "picked 7", searched: "", worker: "worker_amal" };
    const { status, text } = await hana.send("/offers/new", form);
    expect(status).toBe(200);
    expect(boxes(text)).toContain("picked_7");
    expect((await hana.get("/offers")).text).not.toContain("Not yet");
    expect((await hana.send("/offers/new", { ...form, searched: "picked 7" })).status).toBe(303);
  });
});
