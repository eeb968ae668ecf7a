import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDatabase, usePlatform } from "../support/use-opened.ts";
import { openPageClient } from "./page-client.ts";
import { openLiveReader } from "./read-live.ts";

const hanaAddress = "hana@harbour-hotels.example";
const stores = await anyStore();

describe.each(stores)("the live stream on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let cookie: string;

  beforeAll(async () => {
    const hana = openPageClient(platform.address);
    await hana.signIn(hanaAddress);
    cookie = hana.cookie();
  });

  /** Returns a page's live-stream URL. The stream starts with the first change after the page was rendered. */
  async function findStreamUrl(Cookie: string): Promise<string> {
    const { text } = await openPageClient(platform.address).get("/offers", { Cookie });
    return platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? "");
  }
  const createOffer = async (): Promise<void> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  };

  test("the live stream includes changes between the rendering of the page and the connection", async () => {
    const address = await findStreamUrl(cookie);
    await createOffer();
    const reader = await openLiveReader(address, cookie);
    await eventually("the earlier change is signalled", () => reader.events.length > 0);
    expect(reader.events).toMatchObject([{ type: "changed", topics: ["offer"] }]);
    reader.disconnect();
  });

  test("a reconnected live stream includes the missed changes and does not repeat any [D-82]", async () => {
    const stream = await findStreamUrl(cookie);
    const first = await openLiveReader(stream, cookie);
    await createOffer();
    await eventually("the first change is signalled", () => first.countOf("offer") === 1);
    first.disconnect();
    const resume = () => openLiveReader(stream, cookie, first.events.at(-1)?.id);

    const resumed = await resume();
    await setTimeout(500);
    expect(resumed.events).toEqual([]);
    resumed.disconnect();

    await createOffer();
    await createOffer();
    const resumedLater = await resume();
    await eventually("the missed changes are signalled", () => resumedLater.events.length > 0);
    await createOffer();
    await eventually("the later change is signalled", () => resumedLater.events.length > 1);
    expect(resumedLater.events).toMatchObject([
      { type: "changed", topics: ["offer"] },
      { type: "changed", topics: ["offer"] },
    ]);
    resumedLater.disconnect();
  });

  test.each([
    ["an invalid position", () => "nonsense"],
    ["an empty position", () => ""],
    ["a position from another process", () => "0123456789abcdef-0"],
    ["a position in the future", (position: string) => position.replace(/\d+$/, "999999")],
  ])("a live stream that resumes after %s reports that changes may have been missed", async (_, toLastId) => {
    const stream = await findStreamUrl(cookie);
    const position = new URL(stream).searchParams.get("since") ?? "";
    const reader = await openLiveReader(stream, cookie, toLastId(position));
    await eventually("an event arrives", () => reader.events.length > 0);
    expect(reader.events).toMatchObject([{ type: "missed" }]);
    // The stream continues after that event.
    const resumed = await openLiveReader(stream, cookie, reader.events[0]?.id);
    await createOffer();
    await eventually("the change is signalled", () => resumed.events.length > 0);
    expect(resumed.events).toMatchObject([{ type: "changed", topics: ["offer"] }]);
    for (const openReader of [reader, resumed]) openReader.disconnect();
  });

  test("the live stream ends when the person signs out", async () => {
    const ada = openPageClient(platform.address);
    await ada.signIn("ada@crew-agency.example");
    const reader = await openLiveReader(await findStreamUrl(ada.cookie()), ada.cookie());
    await ada.send("/sign-out");
    await reader.ended;
  });
});

describe.each(stores.filter(({ title }) => title !== "PGlite"))(
  "pages of a process that cannot receive signals from other processes on $title",
  ({ createDatabase }) => {
    const database = useDatabase(createDatabase);
    const platform = usePlatform({ database });

    test("a page whose process loses its signal connection is notified that it may have missed changes [D-82]", async () => {
      const hana = openPageClient(platform.address);
      await hana.signIn(hanaAddress);
      const { text } = await hana.get("/offers");
      const address = platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? "");
      const reader = await openLiveReader(address, hana.cookie());
      const store = await openStore(database.options);
      const { rows } = await store.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'offers-platform signals'`,
      );
      expect(rows).toHaveLength(1);
      await eventually("the page is notified", () => reader.events.some(({ type }) => type === "missed"));
      reader.disconnect();
      await store.close();
    });
  },
);
