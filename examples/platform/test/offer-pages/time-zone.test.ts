import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const hana = "hana@harbour-hotels.example";

describe("time zones on pages", async () => {
  const [store] = await anyStore();
  const platform = usePlatform();

  /** Signs in like a browser with scripts, which fills in the time zone. */
  async function signedIn(name: string, timeZone: string): Promise<PageClient> {
    const path = name.startsWith("worker") ? "/app/sign-in" : "/sign-in";
    const client = openPageClient(platform.address, path);
    expect((await client.send(path, { name, password: "demo-password", timeZone })).status).toBe(303);
    return client;
  }
  const zoneOf = async (client: PageClient, path: string): Promise<string | undefined> =>
    /Times are in <a href="[^"]+">([^<]+)</.exec((await client.get(path)).text)?.[1];

  const question = "Which time zone does Bistro Group work in?";

  test("come from each person's browser until somebody in the organisation sets one for everyone [D-115]", async () => {
    expect(await zoneOf(await signedIn("bo@bistro-group.example", ""), "/company")).toBe("UTC");
    expect(await zoneOf(await signedIn("bo@bistro-group.example", "Mars/Olympus"), "/company")).toBe("UTC");
    const bo = await signedIn("bo@bistro-group.example", "America/St_Johns");
    expect(await zoneOf(bo, "/company")).toBe("America/St_Johns");
    const elsewhere = await signedIn("bo@bistro-group.example", "Asia/Calcutta");
    expect(await zoneOf(elsewhere, "/company")).toBe("Asia/Kolkata");
    const asked = (await bo.get("/offers?state=open")).text;
    expect(asked).toContain(question);
    expect(asked).toContain("The choice applies to everyone at Bistro Group.");
    const chosen = await bo.send("/company/time-zone", { timeZone: "America/St_Johns", next: "/offers?state=open" });
    expect(chosen).toMatchObject({ status: 303, location: "/offers?state=open" });
    for (const client of [bo, elsewhere]) {
      const { text } = await client.get("/offers");
      expect(text).toContain(
        'Times are in <a href="/company#time-zone">America/St_Johns</a>, for everyone at Bistro Group.',
      );
      expect(text).not.toContain(question);
    }
  });

  test("are set once by a worker's browser [D-115]", async () => {
    expect(await zoneOf(await signedIn("worker_cleo", "Pacific/Chatham"), "/app")).toBe("Pacific/Chatham");
    expect(await zoneOf(await signedIn("worker_cleo", "Asia/Tokyo"), "/app")).toBe("Pacific/Chatham");
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
  ])("include %s, and accept %s as the same zone [D-115]", async (current, old) => {
    const amal = await signedIn("worker_amal", "");
    const { text } = await amal.get("/app/time-zone");
    expect([text.includes(`value="${current}"`), text.includes(`value="${old}"`)]).toEqual([true, false]);
    expect(await amal.send("/app/time-zone", { timeZone: old })).toMatchObject({ status: 303 });
    const chosen = (await amal.get("/app/time-zone")).text;
    expect(chosen).toContain(`<option value="${current}" selected>`);
    expect(chosen).not.toContain(`value="${old}"`);
  });

  test("show the current name for a stored old name", async () => {
    if (store === undefined) throw new Error("no store to test");
    const own = await store.createDatabase();
    await (await openPlatform(own)).close();
    const opened = await openStore({ ...own.options, onError: () => undefined });
    await opened.db.updateTable("workers").set({ time_zone: "Asia/Calcutta" }).execute();
    await opened.close();
    const again = await openPlatform(own);
    const amal = openPageClient(again.address, "/app/sign-in");
    await amal.signIn("worker_amal");
    expect(await zoneOf(amal, "/app")).toBe("Asia/Kolkata");
    await again.close();
    await own.remove();
  });

  test("can be chosen by an organisation and by a worker", async () => {
    const bo = await signedIn("bo@bistro-group.example", "");
    expect(await bo.send("/company/time-zone", { timeZone: "Europe/Paris" })).toMatchObject({ status: 303 });
    expect(await zoneOf(bo, "/offers")).toBe("Europe/Paris");
    expect((await bo.send("/company/time-zone", { timeZone: "+05:00" })).status).toBe(400);
    const amal = await signedIn("worker_amal", "");
    expect(await amal.send("/app/time-zone", { timeZone: "Asia/Kathmandu" })).toMatchObject({ status: 303 });
    expect(await zoneOf(amal, "/app/shifts")).toBe("Asia/Kathmandu");
  });

  test("convert a typed time slot across a clock change to UTC on the wire, and show it as typed [D-115]", async () => {
    const client = await signedIn(hana, "Europe/London");
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
    const shown = "Sat, 27 Mar 2027, 22:00 GMT – Sun, 28 Mar 2027, 06:00 BST";
    expect((await client.get(path)).text).toContain(shown);
    expect((await client.get("/offers")).text).toContain(shown);
    // The worker's time zone is eight and a half hours behind.
    const ben = await signedIn("worker_ben", "America/St_Johns");
    const offer = (await ben.get(`/app${path}`)).text;
    expect(offer).toMatch(/Sat, 27 Mar 2027, 19:30 GMT-2:30\s–\sSun, 28 Mar 2027, 02:30 GMT-2:30/);
  });

  test("reject a time that a clock change skips, and keep the input", async () => {
    const client = await signedIn(hana, "Europe/London");
    const slot = { start: "2027-03-28T01:30", end: "2027-03-28T06:00" };
    const { status, text } = await client.send("/offers/new", {
      title: "Night shift",
      worker: "worker_ben",
      ...slot,
      act: "create",
    });
    expect(status).toBe(422);
    expect(text).toContain("Choose another time: the clocks in Europe/London go forward then and skip this one.");
    expect(text).toContain('value="2027-03-28T01:30"');
    expect(text).not.toContain("UTC date-time, such as");
  });
});
