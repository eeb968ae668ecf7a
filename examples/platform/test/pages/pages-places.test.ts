import { describe, expect, test } from "vitest";
import { usePageClient, usePlatform } from "../support/use-opened.ts";
import { openPageClient } from "./page-client.ts";

const key = "demo-key-harbour";

describe("named places", async () => {
  const platform = usePlatform();
  const amal = usePageClient(platform, "worker_amal", "/app/sign-in");
  const hana = usePageClient(platform, "hana@harbour-hotels.example");

  async function createOffer(locationPlaceId: string): Promise<string> {
    const json = {
      createdByUserId: "user_hana",
      title: "Bar on Friday",
      locationPlaceId,
      notifyEmailAddress: "hana@harbour-hotels.example",
      workerIds: ["worker_amal"],
    };
    return (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>().id;
  }
  const readOffer = async (id: string) => (await platform.call("GET", `/offer/${id}`, { key })).json();

  test("pages, the app and emails show a named place by its name, and the API returns its id [D-131]", async () => {
    const id = await createOffer("place_harbour_kitchen");
    const name = "Harbour Hotel, main kitchen";
    for (const { text } of [
      await hana.get(`/offers/${id}`),
      await amal.get("/app"),
      await amal.get(`/app/offers/${id}`),
    ]) {
      expect(text).toContain(name);
      expect(text).not.toContain("place_harbour_kitchen");
    }
    expect((await hana.get("/mailbox")).text).toContain(`Where: ${name}`);
    expect(await readOffer(id)).toMatchObject({ locationPlaceId: "place_harbour_kitchen" });
  });

  test("places can be named, renamed and removed on a page", async () => {
    const id = await createOffer("place_pier");
    expect((await hana.get(`/offers/${id}`)).text).toContain("<dd>place_pier</dd>");
    for (const name of ["Pier", "Pier <2>"]) {
      expect(await hana.send("/places", { id: "place_pier", name })).toMatchObject({
        status: 303,
        location: "/places",
      });
      expect((await hana.get(`/offers/${id}`)).text).toContain(`<dd>${name.replace("<2>", "&lt;2&gt;")}</dd>`);
    }
    expect((await hana.get("/places")).text).toContain("Pier &lt;2&gt;");
    await hana.send("/places/remove", { id: "place_pier" });
    expect((await hana.get(`/offers/${id}`)).text).toContain("<dd>place_pier</dd>");
  });

  test("named places belong to the organisation that named them [D-131]", async () => {
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    const { text } = await bo.get("/places");
    expect(text).toContain("Bistro on the Quay, dining room");
    expect(text).not.toContain("Harbour Hotel");
    await bo.send("/places/remove", { id: "place_harbour_bar" });
    expect((await hana.get("/places")).text).toContain("Harbour Hotel, rooftop bar");
  });

  test("users choose a place for a new offer by its name, or enter its id", async () => {
    expect((await hana.get("/offers/new")).text).toContain(
      '<option value="place_harbour_bar">Harbour Hotel, rooftop bar</option>',
    );
    const fields = { title: "Bar", worker: "worker_amal", place: "place_harbour_bar", act: "create" };
    const createWithForm = async (changes: Record<string, string>) => {
      const { location } = await hana.send("/offers/new", { ...fields, ...changes });
      return readOffer(location?.split("/").at(-1) ?? "");
    };
    expect(await createWithForm({})).toMatchObject({ locationPlaceId: "place_harbour_bar" });
    expect(await createWithForm({ locationPlaceId: "place_7" })).toMatchObject({ locationPlaceId: "place_7" });
  });

  test.each([
    ["Cyrillic letters", "ф"],
    ["emoji", "🌙"],
    // JSON writes a control character as six.
    ["control characters", "\u0001"],
  ])("the notice about a long name and an id of %s fits into the session cookie [D-80]", async (_, character) => {
    const id = character.repeat(500 / character.length);
    const name = "厨".repeat(200);
    expect((await hana.send("/places", { id, name })).status).toBe(303);
    expect((await hana.get("/places")).text).toContain("Pages and emails now show “厨厨");
    expect((await hana.send("/places/remove", { id })).status).toBe(303);
    expect((await hana.get("/places")).text).toContain("The name of ");
  });

  test("a place name without visible characters is rejected", async () => {
    const { status, text } = await hana.send("/places", { id: "place_pier", name: "\u200b" });
    expect(status).toBe(422);
    expect(text).toContain("Use at least one visible character.");
    expect(text).toContain('value="place_pier"');
  });
});
