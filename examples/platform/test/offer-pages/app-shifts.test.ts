import { beforeAll, describe, expect, test } from "vitest";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { usePlatform } from "../support/use-opened.ts";

const key = "demo-key-harbour";

describe("the worker app [D-118]", () => {
  const platform = usePlatform({ now: () => now });
  let amal: PageClient;
  let now = new Date("2027-03-01T12:00:00Z");
  beforeAll(async () => {
    amal = openPageClient(platform.address, "/app/sign-in");
    const credentials = { name: "worker_amal", password: "demo-password", timeZone: "Pacific/Chatham" };
    await amal.send("/app/sign-in", credentials);
  });

  /** Creates an offer. @param day a day in March 2027 @default the offer has no date */
  async function createOffer(title: string, day?: string): Promise<string> {
    const events = day === undefined ? [] : [{ start: `2027-03-${day}T17:00:00Z`, end: `2027-03-${day}T23:00:00Z` }];
    const json = {
      createdByUserId: "user_hana",
      title,
      locationPlaceId: "place_bar",
      workerIds: ["worker_amal"],
      events,
    };
    return (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>().id;
  }
  async function applyAndComplete(id: string): Promise<void> {
    await amal.send(`/app/offers/${id}/apply`);
    await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: ["worker_amal"] });
  }
  /** Returns the HTML from the element with this id to the next `div` that starts with an id. */
  const extractSection = (text: string, id: string): string => text.split(`id="${id}"`)[1]?.split(`<div id=`)[0] ?? "";
  const extractTitles = (text: string): string[] =>
    [...text.matchAll(/<strong>([^<]+)<\/strong>/g)].map(([, title = ""]) => title);

  test("the app lists open offers by date, with time and place, until the worker responds", async () => {
    const undatedId = await createOffer("Undated");
    await createOffer("Later", "20");
    const id = await createOffer("Sooner", "10");
    const openOffers = extractSection((await amal.get("/app")).text, "open");
    expect(extractTitles(openOffers)).toEqual(["Sooner", "Later", "Undated"]);
    await amal.send(`/app/offers/${undatedId}/reject`);
    // The zone is UTC+13:45 in summer.
    expect(openOffers).toMatch(/Thu, 11 Mar 2027, 06:45\s?–\s?12:45 GMT\+13:45/);
    expect(openOffers).toContain("place_bar");
    const offer = (await amal.get(`/app/offers/${id}`)).text;
    expect(offer).toContain("You can change your response until Harbour Hotels completes or withdraws the offer.");
    await amal.send(`/app/offers/${id}/reject`);
    expect(extractTitles(extractSection((await amal.get("/app")).text, "open"))).toEqual(["Later"]);
  });

  test("the app lists confirmed shifts, the next shift first, without withdrawn or past shifts", async () => {
    expect((await amal.get("/app/shifts")).text).toContain("No upcoming shifts.");
    await applyAndComplete(await createOffer("Third", "15"));
    await applyAndComplete(await createOffer("Second", "12"));
    await applyAndComplete(await createOffer("First", "01"));
    const withdrawnId = await createOffer("Withdrawn", "13");
    await applyAndComplete(withdrawnId);
    await platform.call("GET", `/offer/${withdrawnId}/withdraw`, { key });
    expect(extractTitles(extractSection((await amal.get("/app/shifts")).text, "shifts"))).toEqual([
      "First",
      "Second",
      "Third",
    ]);
    now = new Date("2027-03-01T23:30:00Z");
    expect(extractTitles(extractSection((await amal.get("/app/shifts")).text, "shifts"))).toEqual(["Second", "Third"]);
  });
});
