import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const hanaAddress = "hana@harbour-hotels.example";

describe("time zones on pages", async () => {
  const [store] = await anyStore();
  const platform = usePlatform();

  /** Creates a client and signs it in like a browser with scripts, which fills in the time zone. */
  async function openSignedInClient(name: string, timeZone: string): Promise<PageClient> {
    const path = name.startsWith("worker") ? "/app/sign-in" : "/sign-in";
    const client = openPageClient(platform.address, path);
    expect((await client.send(path, { name, password: "demo-password", timeZone })).status).toBe(303);
    return client;
  }
  const readTimeZone = async (client: PageClient, path: string): Promise<string | undefined> =>
    /Times are in <a href="[^"]+">([^<]+)</.exec((await client.get(path)).text)?.[1];

  const question = "Which time zone does Bistro Group work in?";

  test("a person's time zone is the browser's until someone sets the organisation's time zone [D-115]", async () => {
    expect(await readTimeZone(await openSignedInClient("bo@bistro-group.example", ""), "/company")).toBe("UTC");
    expect(await readTimeZone(await openSignedInClient("bo@bistro-group.example", "Mars/Olympus"), "/company")).toBe(
      "UTC",
    );
    const bo = await openSignedInClient("bo@bistro-group.example", "America/St_Johns");
    expect(await readTimeZone(bo, "/company")).toBe("America/St_Johns");
    const otherBrowser = await openSignedInClient("bo@bistro-group.example", "Asia/Calcutta");
    expect(await readTimeZone(otherBrowser, "/company")).toBe("Asia/Kolkata");
    const pageWithQuestion = (await bo.get("/offers?state=open")).text;
    expect(pageWithQuestion).toContain(question);
    expect(pageWithQuestion).toContain("The choice applies to everyone at Bistro Group.");
    const saved = await bo.send("/company/time-zone", { timeZone: "America/St_Johns", next: "/offers?state=open" });
    expect(saved).toMatchObject({ status: 303, location: "/offers?state=open" });
    for (const client of [bo, otherBrowser]) {
      const { text } = await client.get("/offers");
      expect(text).toContain(
        'Times are in <a href="/company#time-zone">America/St_Johns</a>, for everyone at Bistro Group.',
      );
      expect(text).not.toContain(question);
    }
  });

  test("a worker's time zone is set by the first browser that signs in [D-115]", async () => {
    expect(await readTimeZone(await openSignedInClient("worker_cleo", "Pacific/Chatham"), "/app")).toBe(
      "Pacific/Chatham",
    );
    expect(await readTimeZone(await openSignedInClient("worker_cleo", "Asia/Tokyo"), "/app")).toBe("Pacific/Chatham");
  });

  // https://data.iana.org/time-zones/tzdb/backward
  test.each([
    ["Europe/Kyiv", "Europe/Kiev"],
    ["Asia/Kolkata", "Asia/Calcutta"],
    ["Asia/Ho_Chi_Minh", "Asia/Saigon"],
    ["Asia/Kathmandu", "Asia/Katmandu"],
    ["Asia/Yangon", "Asia/Rangoon"],
    ["America/Nuuk", "America/Godthab"],
    ["America/Argentina/Buenos_Aires", "America/Buenos_Aires"],
  ])("the time zone list includes %s, and %s is accepted as the same zone [D-115]", async (currentName, oldName) => {
    const amal = await openSignedInClient("worker_amal", "");
    const { text } = await amal.get("/app/time-zone");
    expect([text.includes(`value="${currentName}"`), text.includes(`value="${oldName}"`)]).toEqual([true, false]);
    expect(await amal.send("/app/time-zone", { timeZone: oldName })).toMatchObject({ status: 303 });
    const updatedPage = (await amal.get("/app/time-zone")).text;
    expect(updatedPage).toContain(`<option value="${currentName}" selected>`);
    expect(updatedPage).not.toContain(`value="${oldName}"`);
  });

  test("a time zone that is stored under an old name is shown under its current name", async () => {
    const database = await store.createDatabase();
    await (await openPlatform(database)).close();
    const openedStore = await openStore({ ...database.options, onError: () => undefined });
    await openedStore.db.updateTable("workers").set({ time_zone: "Asia/Calcutta" }).execute();
    await openedStore.close();
    const reopenedPlatform = await openPlatform(database);
    const amal = openPageClient(reopenedPlatform.address, "/app/sign-in");
    await amal.signIn("worker_amal");
    expect(await readTimeZone(amal, "/app")).toBe("Asia/Kolkata");
    await reopenedPlatform.close();
    await database.remove();
  });

  test("an organisation and a worker can choose a time zone", async () => {
    const bo = await openSignedInClient("bo@bistro-group.example", "");
    expect(await bo.send("/company/time-zone", { timeZone: "Europe/Paris" })).toMatchObject({ status: 303 });
    expect(await readTimeZone(bo, "/offers")).toBe("Europe/Paris");
    // ICU knows these abbreviations, and resolves BST to Bangladesh. They are not names in the IANA database.
    for (const timeZone of ["+05:00", "PST", "BST", "IST", "Etc/Unknown"]) {
      expect((await bo.send("/company/time-zone", { timeZone })).status).toBe(400);
      const signedIn = await openSignedInClient("worker_dana", timeZone);
      expect((await signedIn.send("/app/time-zone", { timeZone })).status).toBe(400);
      expect(await readTimeZone(signedIn, "/app")).toBe("UTC");
    }
    expect(await readTimeZone(bo, "/offers/new")).toBe("Europe/Paris");
    const amal = await openSignedInClient("worker_amal", "");
    expect(await amal.send("/app/time-zone", { timeZone: "Asia/Kathmandu" })).toMatchObject({ status: 303 });
    expect(await readTimeZone(amal, "/app/shifts")).toBe("Asia/Kathmandu");
  });

  test("a time slot across a clock change is converted to UTC for the API, and shown as entered [D-115]", async () => {
    const client = await openSignedInClient(hanaAddress, "Europe/London");
    const slot = { start: "2027-03-27T22:00", end: "2027-03-28T06:00" };
    const created = await client.send("/offers/new", {
      title: "Night shift",
      worker: "worker_ben",
      ...slot,
      act: "create",
    });
    expect(created.status).toBe(303);
    const path = created.location ?? "";
    const read = await platform.call("GET", `/offer/${path.split("/").at(-1)}`, { key: "demo-key-harbour" });
    expect(read.json()).toMatchObject({ events: [{ start: "2027-03-27T22:00:00Z", end: "2027-03-28T05:00:00Z" }] });
    const expectedTime = "Sat, 27 Mar 2027, 22:00 GMT – Sun, 28 Mar 2027, 06:00 BST";
    expect((await client.get(path)).text).toContain(expectedTime);
    expect((await client.get("/offers")).text).toContain(expectedTime);
    // The worker's time zone is two and a half hours behind UTC.
    const ben = await openSignedInClient("worker_ben", "America/St_Johns");
    const offer = (await ben.get(`/app${path}`)).text;
    expect(offer).toMatch(/Sat, 27 Mar 2027, 19:30 GMT-2:30\s–\sSun, 28 Mar 2027, 02:30 GMT-2:30/);
  });

  test("a time that a clock change skips is rejected, and the form still contains the input", async () => {
    const client = await openSignedInClient(hanaAddress, "Europe/London");
    const slot = { start: "2027-03-28T01:30", end: "2027-03-28T06:00" };
    const { status, text } = await client.send("/offers/new", {
      title: "Night shift",
      worker: "worker_ben",
      ...slot,
      act: "create",
    });
    expect(status).toBe(422);
    expect(text).toContain(
      "Choose a different time, because the clocks in Europe/London skip this time when they go forward.",
    );
    expect(text).toContain('value="2027-03-28T01:30"');
    expect(text).not.toContain("UTC date-time, such as");
  });
});
