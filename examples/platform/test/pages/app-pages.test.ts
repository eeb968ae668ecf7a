import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readEvents } from "../support/read-events.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";

describe.each(await anyStore())("the pages of the worker's app on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let amal: PageClient;
  let dana: PageClient;
  beforeAll(async () => {
    amal = await openSignedInClient("worker_amal");
    dana = await openSignedInClient("worker_dana");
  });

  const key = "demo-key-harbour";
  async function openSignedInClient(workerId: string): Promise<PageClient> {
    const client = openPageClient(platform.address, "/app/sign-in");
    await client.signIn(workerId);
    return client;
  }
  async function createOffer(changes: object = {}): Promise<string> {
    const workerIds = ["worker_amal"];
    const json = { createdByUserId: "user_hana", title: "Bar on Sunday", details: "Beer.", workerIds, ...changes };
    return (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>().id;
  }
  const completeOffer = (id: string, workerIds: string[]) =>
    platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: workerIds });
  const readResponse = async (id: string, workerId = "worker_amal"): Promise<string | undefined> => {
    const offer = (await platform.call("GET", `/offer/${id}`, { key })).json<{
      recipients: { workerId: string; response: string }[];
    }>();
    return offer.recipients.find((recipient) => recipient.workerId === workerId)?.response;
  };
  const readOfferPage = async (id: string, client = amal): Promise<string> => {
    const { status, text } = await client.get(`/app/offers/${id}`);
    expect(status).toBe(200);
    return text;
  };

  const pagePaths = ["/app", "/app/contacts", "/app/offers/x", "/app/live"];
  const formPaths = ["/app/contacts", "/app/offers/x/apply", "/app/offers/x/reject", "/app/offers/x/close"];

  describe("signed-out clients", () => {
    test.each(pagePaths)("a signed-out client is redirected from %s to the sign-in page", async (path) => {
      const { status, location } = await openPageClient(platform.address, "/app/sign-in").get(path);
      expect(status).toBe(303);
      expect(location).toBe(path === "/app" ? "/app/sign-in" : `/app/sign-in?next=${encodeURIComponent(path)}`);
    });

    test.each(formPaths)("a signed-out client cannot post to %s", async (path) => {
      const response = await openPageClient(platform.address, "/app/sign-in").send(path, {
        organisationId: "org_harbour",
      });
      expect(response.status).toBe(401);
      expect(response.text).toContain("Not signed in");
    });

    test("a signed-out client receives no events from the app", async () => {
      const headers = { Accept: "text/event-stream" };
      expect((await openPageClient(platform.address).get("/app/live", headers)).status).toBe(401);
    });
  });

  test("a person's session is invalid for a worker, and vice versa", async () => {
    const hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    expect((await hana.get("/app")).location).toBe("/app/sign-in");
    const workerCookie = hana.cookie().replace("offers-portal-", "offers-app-");
    expect((await openPageClient(platform.address).get("/app", { Cookie: workerCookie })).location).toBe(
      "/app/sign-in",
    );
    const personCookie = amal.cookie().replace("offers-app-", "offers-portal-");
    const { location } = await openPageClient(platform.address).get("/offers", { Cookie: personCookie });
    expect(location).toBe("/sign-in?next=%2Foffers");
  });

  test("a worker cannot find an offer sent to other workers", async () => {
    const id = await createOffer();
    expect((await dana.get(`/app/offers/${id}`)).status).toBe(404);
    for (const action of ["apply", "reject", "close"])
      expect((await dana.send(`/app/offers/${id}/${action}`)).status).toBe(404);
    expect(await readResponse(id)).toBe("none");
    expect((await dana.get("/app")).text).not.toContain(id);
  });

  describe("forged forms", () => {
    test.each([
      ["without a token", { formToken: "" }],
      ["with a made-up token", { formToken: "x".repeat(32) }],
      ["from another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
      ["from another origin", { headers: { Origin: "http://evil.example" } }],
    ])("a form in the app %s has no effect", async (_, options) => {
      const id = await createOffer();
      for (const action of ["apply", "reject", "close"])
        expect((await amal.send(`/app/offers/${id}/${action}`, {}, options)).status).toBe(403);
      expect((await amal.send("/app/contacts", { organisationId: "org_harbour" }, options)).status).toBe(403);
      expect((await amal.send("/app/sign-out", {}, options)).status).toBe(403);
      expect(await readResponse(id)).toBe("none");
      expect((await amal.get("/app")).status).toBe(200);
    });

    test("a form in the app with another worker's token has no effect", async () => {
      const id = await createOffer();
      const formToken = await dana.formToken();
      expect((await amal.send(`/app/offers/${id}/apply`, {}, { formToken })).status).toBe(403);
      expect(await readResponse(id)).toBe("none");
    });
  });

  test("the menu lists the worker's notifications, newest first, and marks new ones", async () => {
    const ben = await openSignedInClient("worker_ben");
    const id = await createOffer({ title: "Menu <b>&", workerIds: ["worker_ben"] });
    await eventually("the offer is in the menu", async () => (await ben.get("/app")).text.includes(id));
    const before = (await ben.get("/app")).text;
    expect(before).toContain("Menu &lt;b&gt;&amp;");
    expect(before).toContain("Harbour Hotels");
    expect(before).toContain('<span class="badge new">new</span>');
    await readOfferPage(id, ben);
    expect((await ben.get("/app")).text).not.toContain('<span class="badge new">');
    await ben.send(`/app/offers/${id}/apply`);
    await completeOffer(id, ["worker_ben"]);
    await eventually("the outcome is in the menu", async () =>
      (await ben.get("/app")).text.includes("You got the work"),
    );
    const after = (await ben.get("/app")).text;
    expect(after.indexOf("You got the work")).toBeLessThan(after.indexOf("New offer"));
    expect(after).toContain("You applied");
  });

  test("a worker can respond and change the response until the offer is complete", async () => {
    const events = [{ start: "2027-03-05T17:00:00Z", end: "2027-03-05T23:00:00Z" }];
    const id = await createOffer({ workerIds: ["worker_amal", "worker_ben"], events });
    const first = await readOfferPage(id);
    expect(first).toContain("You have not responded yet.");
    expect(first).toMatch(/5 Mar 2027, 17:00\s?–\s?23:00 UTC/);
    expect(await readResponse(id)).toBe("none");

    expect(await amal.send(`/app/offers/${id}/reject`)).toMatchObject({ status: 303, location: `/app/offers/${id}` });
    expect(await readResponse(id)).toBe("rejected");
    expect(await readOfferPage(id)).toContain("You rejected this offer.");
    await amal.send(`/app/offers/${id}/apply`);
    expect(await readResponse(id)).toBe("applied");
    const pageAfterApplying = await readOfferPage(id);
    expect(pageAfterApplying).toContain("You applied. You will be notified once the work is assigned.");
    expect(pageAfterApplying).not.toContain(`${id}/apply"`);
    expect(await amal.send(`/app/offers/${id}/close`)).toMatchObject({ status: 303, location: "/app" });
    expect(await readResponse(id)).toBe("applied");

    await completeOffer(id, ["worker_amal"]);
    const pageAfterCompletion = await readOfferPage(id);
    expect(pageAfterCompletion).toContain("You got the work.");
    expect(pageAfterCompletion).not.toMatch(/\/(apply|reject)"/);
    const lateResponse = await amal.send(`/app/offers/${id}/reject`);
    expect(lateResponse.status).toBe(422);
    expect(lateResponse.text).toContain("Your response came too late: the offer was completed.");
    expect(lateResponse.text).toContain("You got the work.");
    expect(await amal.get(`/app/offers/${id}/reject`)).toMatchObject({ status: 303, location: `/app/offers/${id}` });
    const ben = await openSignedInClient("worker_ben");
    expect(await readOfferPage(id, ben)).toContain("Others got the work");
  });

  test("the hirer sees that a worker opened an offer, which is not a response [D-84]", async () => {
    const id = await createOffer();
    const hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    const readHirerPage = async () => (await hana.get(`/offers/${id}`)).text;
    expect((await amal.get(`/app/offers/${id}`, { "X-Part": "1" })).status).toBe(200);
    expect(await readHirerPage()).toContain(">No response</span>");
    await readOfferPage(id);
    expect(await readHirerPage()).toContain(">Opened</span>");
    expect(await readResponse(id)).toBe("none");
  });

  test("the app shows that an offer was withdrawn", async () => {
    const id = await createOffer();
    await platform.call("GET", `/offer/${id}/withdraw`, { key });
    const text = await readOfferPage(id);
    expect(text).toContain("This offer was withdrawn.");
    expect(text).not.toMatch(/\/(apply|reject)"/);
  });

  test("a worker can add a contact only at a known organisation", async () => {
    expect(await amal.send("/app/contacts", { organisationId: "org_bistro" })).toMatchObject({
      status: 303,
      location: "/app/contacts",
    });
    expect((await amal.get("/app/contacts")).text).toContain(
      "Bistro Group has been notified that you share your availability.",
    );
    expect((await amal.send("/app/contacts", { organisationId: "unknown" })).status).toBe(404);
    for (const fields of [{}, { organisationId: "" }, { organisationId: "\0" }])
      expect((await amal.send("/app/contacts", fields)).status).toBe(400);
  });

  test("submitting a contact form twice adds one contact, and a new form adds a second contact [D-85]", async () => {
    const receiver = await openReceiver(respondWith(200));
    const token = await platform.signInPerson("ada@crew-agency.example");
    const profile = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
    const countContacts = async () => {
      const response = await platform.call("GET", "/portal/deliveries", { token });
      return response.json<{ deliveries: object[] }>().deliveries.length;
    };
    const sendForm = async (idempotencyKey: string) =>
      expect(await amal.send("/app/contacts", { organisationId: "org_crew", idempotencyKey })).toMatchObject({
        status: 303,
      });
    const [, idempotencyKey = ""] =
      /name="idempotencyKey" value="([^"]+)"/.exec((await amal.get("/app/contacts")).text) ?? [];
    expect(idempotencyKey).not.toBe("");
    await Promise.all([sendForm(idempotencyKey), sendForm(idempotencyKey)]);
    expect((await amal.get("/app/contacts")).text).toContain("has been notified that you share your availability.");
    expect(await countContacts()).toBe(1);
    await sendForm("the next");
    expect(await countContacts()).toBe(2);
    await receiver.close();
  });

  test("the app's event stream continues after the page's position, even with two devices", async () => {
    await platform.call("POST", "/worker-app/devices", {
      token: await platform.signInWorker("worker_dana"),
      json: { platform: "ios" },
    });
    const findStreamPath = (text: string): string =>
      /data-live-stream="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const first = await createOffer({ workerIds: ["worker_dana"] });
    await eventually("the page lists the first offer", async () => (await dana.get("/app")).text.includes(first));
    const openStream = async (path: string, lastEventId?: string) =>
      readEvents(platform.address + path, "", lastEventId, { Cookie: dana.cookie() });
    let path = "";
    // Each device has a separate notification, so the page may be rendered between the two.
    await eventually("the page has a position after the first offer", async () => {
      path = findStreamPath((await dana.get("/app")).text);
      return path !== "/app/live?since=0";
    });
    const stream = await openStream(path);
    const second = await createOffer({ workerIds: ["worker_dana"] });
    await eventually("the second offer arrives", () => stream.events.length > 0);
    expect(stream.events.map(({ data }) => data.offerId)).toEqual([second]);
    stream.disconnect();
    await stream.ended;

    const third = await createOffer({ workerIds: ["worker_dana"] });
    const resumed = await openStream(path, stream.events[0]?.id);
    await eventually("the missed offer arrives", () => resumed.events.length > 0);
    expect(resumed.events.map(({ data }) => data.offerId)).toEqual([third]);
    resumed.disconnect();
    await resumed.ended;
  });

  test("the app's event stream ends when the worker signs out", async () => {
    const client = await openSignedInClient("worker_cleo");
    const stream = await readEvents(`${platform.address}/app/live?since=0`, "", undefined, {
      Cookie: client.cookie(),
    });
    expect(await client.send("/app/sign-out")).toMatchObject({ status: 303, location: "/app/sign-in" });
    await stream.ended;
    expect((await client.get("/app")).location).toBe("/app/sign-in");
  });

  test("a request for an unknown path in the app gets the app's 404 page", async () => {
    const { status, text } = await amal.get("/app/nowhere");
    expect(status).toBe(404);
    expect(text).toContain('href="/app"');
    expect((await amal.send("/app")).status).toBe(405);
  });
});
