// Tests the service's requests to an integrator against spec/interface.md, and how the service handles the responses.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type ReceivedRequest, type Respond, respondWith } from "../support/receiver.ts";
import { dana, type HarbourFixture, isSigned, openHarbourFixture, secret } from "./harbour-fixture.ts";

describe("the contract's webhooks", () => {
  let fixture: HarbourFixture;
  beforeAll(async () => {
    fixture = await openHarbourFixture();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    fixture.receiver.requests.length = 0;
  });
  afterEach(() => {
    fixture.receiver.respond = respondWith(200);
  });

  const listUrls = () => fixture.receiver.requests.map(({ method, url }) => `${method} ${url}`);
  const waitForRequest = async (pathStart: string): Promise<ReceivedRequest> => {
    const findRequest = () => fixture.receiver.requests.find(({ url }) => url.startsWith(pathStart));
    await eventually(`a request for ${pathStart}`, () => findRequest() !== undefined);
    return findRequest() as ReceivedRequest;
  };
  const readSavedAddress = async () =>
    (await fixture.callPortal("GET", "/profile")).json<{ baseAddress: string | null }>().baseAddress;
  const search = async (json: object = {}) => {
    const response = await fixture.callPortal("POST", "/suggestions/search", {
      organisationIds: ["org_harbour"],
      ...json,
    });
    const { results = [] } = response.json<{
      results?: { suggestions?: object[]; failure?: { code: string; message: string } }[];
    }>();
    return results[0];
  };
  const respondWithList = (list: unknown): Respond => respondWith(200, {}, JSON.stringify(list));
  const respondOnlyTo = (path: string, status: number): Respond => {
    return (request, response) => respondWith(request.url.endsWith(path) ? status : 200)(request, response);
  };

  test("no endpoint is called before a profile is saved, not even for suggestions [D-22] [interface: Overview 5]", async () => {
    expect((await fixture.callPortal("GET", "/profile")).json()).toMatchObject({
      baseAddress: null,
      suggestsContacts: false,
    });
    expect(await search()).toBeUndefined();
    await fixture.callApp("worker_amal", "POST", "/contacts", { organisationId: "org_harbour" });
    expect(fixture.receiver.requests).toEqual([]);
  });

  test("saving a base URL calls GET /test without authentication, then GET /test/auth with authentication [interface: Introduction 1c] [interface: Overview 5, 5b] [interface: Webhooks Test, Test authorisation] [interface: Authentication 3]", async () => {
    expect((await fixture.enterProfile()).status).toBe(200);
    // The third request has an invalid signature. A receiver that accepts it gets a warning (D-41).
    expect(listUrls()).toEqual(["GET /hooks/test", "GET /hooks/test/auth", "GET /hooks/test/auth"]);
    const [first, second, third] = fixture.receiver.requests;
    expect(Object.keys(first?.headers ?? {})).not.toContain("timestamp");
    expect(Object.keys(first?.headers ?? {})).not.toContain("authorization");
    expect([first?.body, second?.body]).toEqual(["", ""]);
    expect([second && isSigned(second), third && isSigned(third)]).toEqual([true, false]);
    expect(await readSavedAddress()).toBe(`${fixture.receiver.baseAddress}/hooks`);
  });

  test("GET /test is called without authentication even when GET /test/auth fails [D-41] [interface: Webhooks Test] [interface: Authentication 3]", async () => {
    fixture.receiver.respond = respondOnlyTo("/test/auth", 401);
    await fixture.enterProfile();
    expect(listUrls()).toEqual(["GET /hooks/test", "GET /hooks/test/auth"]);
  });

  test.each([201, 202, 204, 301, 302, 400, 401, 404, 500, 503])(
    "a base URL is not saved if GET /test gets %i, even if GET /test/auth gets 200 [interface: Overview 5b] [interface: Errors 1]",
    async (status) => {
      fixture.receiver.respond = respondOnlyTo("/test", status);
      const addressBefore = await readSavedAddress();
      const response = await fixture.enterProfile({ baseAddress: `${fixture.receiver.baseAddress}/other` });
      expect(response.json()).toMatchObject({ status: 422, checks: [{ passed: false, status }, { passed: true }] });
      expect(await readSavedAddress()).toBe(addressBefore);
    },
  );

  test.each([201, 204, 302, 400, 401, 403, 500])(
    "a base URL is not saved if GET /test/auth gets %i, even if GET /test gets 200 [interface: Overview 5b] [interface: Authentication 2] [interface: Errors 2]",
    async (status) => {
      fixture.receiver.respond = respondOnlyTo("/test/auth", status);
      const addressBefore = await readSavedAddress();
      const response = await fixture.enterProfile({ baseAddress: `${fixture.receiver.baseAddress}/other` });
      expect(response.json()).toMatchObject({ status: 422, checks: [{ passed: true }, { passed: false, status }] });
      expect(await readSavedAddress()).toBe(addressBefore);
    },
  );

  test("GET /test/auth verifies the entered secret [interface: Webhooks Test authorisation] [interface: Authentication 2]", async () => {
    fixture.receiver.respond = (request, response) =>
      respondWith(request.url.endsWith("/test/auth") && !isSigned(request) ? 401 : 200)(request, response);
    expect((await fixture.enterProfile({ secret: `${secret}x` })).status).toBe(422);
    expect((await fixture.enterProfile()).status).toBe(200);
  });

  test("every call except GET /test has Timestamp and Authorization headers that match openssl's digest [D-15] [interface: Authentication 1, 4]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    await fixture.callApp("worker_amal", "POST", "/contacts", { organisationId: "org_harbour" });
    await fixture.callApp("worker_amal", "POST", `/offers/${await fixture.createOffer()}/apply`);
    await search();
    for (const path of [
      "/hooks/test/auth",
      "/hooks/contact/new/",
      "/hooks/contact-suggestions",
      "/hooks/offer/response",
    ]) {
      const request = await waitForRequest(path);
      expect([path, request.headers.timestamp, isSigned(request)]).toEqual([path, expect.stringMatching(/Z$/), true]);
      expect(Math.abs(Date.parse(String(request.headers.timestamp)) - Date.now())).toBeLessThan(300_000);
    }
    expect(await waitForRequest("/hooks/test")).not.toHaveProperty("headers.authorization");
  });

  test("each contact that a worker adds is sent to that organisation, only in the path [D-42] [interface: Introduction 1c] [interface: Overview 1, 5c] [interface: Webhooks Worker Added Contact] [interface: Events Worker Added Contact]", async () => {
    await fixture.enterProfile();
    await fixture.callApp("worker_cleo", "POST", "/contacts", { organisationId: "org_bistro" });
    for (const _ of [1, 2])
      await fixture.callApp("worker_dana", "POST", "/contacts", { organisationId: "org_harbour" });
    const listContactRequests = () => fixture.receiver.requests.filter(({ url }) => url.includes("/contact/"));
    await eventually("both are delivered", () => listContactRequests().length === 2);
    for (const { method, url, body, headers } of listContactRequests()) {
      expect([method, url, body]).toEqual(["GET", "/hooks/contact/new/worker_dana", ""]);
      expect(headers).not.toHaveProperty("content-type");
    }
  });

  test("a worker's response is sent as JSON by POST /offer/response, with unchanged ids [D-14] [interface: Overview 5h] [interface: Webhooks Worker Offer Response] [interface: Events Worker Offer Response]", async () => {
    await fixture.enterProfile();
    const offerId = await fixture.createOffer();
    await fixture.callApp("worker_ben", "POST", `/offers/${offerId}/reject`);
    const { method, url, headers, body } = await waitForRequest("/hooks/offer/response");
    expect([method, url, headers["content-type"]]).toEqual(["POST", "/hooks/offer/response", "application/json"]);
    expect(JSON.parse(body)).toEqual({ offerId, workerId: "worker_ben", response: "rejected" });
  });

  test("a search sends all of the person's addresses to POST /contact-suggestions, and the filter if there is one [interface: Overview 5g] [interface: Search filter, userEmailAddresses] [interface: Webhooks Contact suggestions]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    fixture.receiver.respond = respondWithList([]);
    fixture.receiver.requests.length = 0;
    await search({ filter: "chef" });
    await search();
    const userEmailAddresses = ["hana.lind@harbour-hotels.example", "hana@harbour-hotels.example"];
    expect(listUrls()).toEqual(["POST /hooks/contact-suggestions", "POST /hooks/contact-suggestions"]);
    expect(fixture.receiver.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { filter: "chef", userEmailAddresses },
      { userEmailAddresses },
    ]);
  });

  test("the integrator chooses the matches, and a hirer invites the selected people at their addresses [interface: Overview 5e, 5f, 5g] [interface: Suggestion emailAddress]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    const eli = { ...dana, name: "Eli Roy", emailAddress: "eli.roy@example.com" };
    fixture.receiver.respond = respondWithList([dana, eli]);
    expect((await search())?.suggestions).toEqual([dana, eli]);
    const people = [{ name: eli.name, emailAddress: eli.emailAddress }];
    const invitation = await fixture.callPortal("POST", "/invitations", { organisationId: "org_harbour", people });
    expect(invitation.status).toBe(201);
    const { mails } = (await fixture.callPortal("GET", "/mailbox")).json<{ mails: { to: string }[] }>();
    expect(mails.map(({ to }) => to)).toEqual(["eli.roy@example.com"]);
  });

  test("a profile image's full URL reaches the hirer unchanged, and the service sends no signature to it [D-23] [interface: Suggestion profileImageUrl]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    const profileImageUrl = `${fixture.receiver.baseAddress}/images/dana.png?size=1`;
    fixture.receiver.respond = (request, response) =>
      request.url.startsWith("/images/")
        ? respondWith(200, { "content-type": "image/png" }, "PNG")(request, response)
        : respondWithList([{ ...dana, profileImageUrl }])(request, response);
    expect((await search())?.suggestions).toEqual([{ ...dana, profileImageUrl }]);
    expect(await (await fetch(profileImageUrl)).text()).toBe("PNG");
    for (const { url, headers } of fixture.receiver.requests)
      if (url.startsWith("/images/")) expect(headers).not.toHaveProperty("authorization");
  });

  test("an endpoint with only the two test paths is saved, and everything else works without the other paths [interface: Overview 5c, 5d]", async () => {
    fixture.receiver.respond = (request, response) =>
      respondWith(/\/test(\/auth)?$/.test(request.url) ? 200 : 404)(request, response);
    expect((await fixture.enterProfile({ suggestsContacts: true })).status).toBe(200);
    const offerId = await fixture.createOffer();
    const added = await fixture.callApp("worker_amal", "POST", "/contacts", { organisationId: "org_harbour" });
    const applied = await fixture.callApp("worker_amal", "POST", `/offers/${offerId}/apply`);
    expect([added.status, applied.status, (await search())?.failure?.code]).toEqual([204, 204, "unexpected_status"]);
    expect((await fixture.complete(offerId, ["worker_amal"])).status).toBe(204);
    await waitForRequest("/hooks/offer/response");
    await waitForRequest("/hooks/contact/new/");
  });

  test("one worker's responses to one offer arrive in order, and a failed response does not block the next [D-32]", async () => {
    await fixture.enterProfile();
    const offerId = await fixture.createOffer();
    fixture.receiver.respond = (request, response) =>
      respondWith(request.body.includes('"accepted"') ? 500 : 200)(request, response);
    for (const action of ["apply", "reject"])
      await fixture.callApp("worker_amal", "POST", `/offers/${offerId}/${action}`);
    const listResponseRequests = () => fixture.receiver.requests.filter(({ body }) => body.includes(offerId));
    await eventually("the last response has arrived", () => listResponseRequests().length === 4);
    const responses = listResponseRequests().map(({ body }) => (JSON.parse(body) as { response: string }).response);
    expect(responses).toEqual(["accepted", "accepted", "accepted", "rejected"]);
  });

  test.each(["?a=1", "#a", "/x?"])("a base URL that ends in %s is neither saved nor called [D-41]", async (end) => {
    const response = await fixture.enterProfile({ baseAddress: `${fixture.receiver.baseAddress}/hooks${end}` });
    expect([response.status, listUrls()]).toEqual([422, []]);
  });

  test("a secret has 16 to 500 characters and no surrounding white space [D-43]", async () => {
    for (const valid of ["x".repeat(16), "x".repeat(500), `${"x".repeat(16)} y`])
      expect((await fixture.enterProfile({ secret: valid })).status).toBe(200);
    for (const invalid of ["x".repeat(15), "x".repeat(501), ` ${"x".repeat(16)}`, `${"x".repeat(16)}\n`])
      expect((await fixture.enterProfile({ secret: invalid })).status).toBe(400);
    expect((await fixture.enterProfile()).status).toBe(200);
  });

  test("suggestion searches and the two tests are sent once, regardless of the response, and are not events [D-26] [interface: Events 2]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    const readDeliveriesText = async () => (await fixture.callPortal("GET", "/deliveries")).text;
    const deliveriesBefore = await readDeliveriesText();
    fixture.receiver.requests.length = 0;
    fixture.receiver.respond = respondWith(503);
    await search();
    await fixture.enterProfile();
    // Wait until an event has used up its three attempts, which are 50 ms apart.
    await fixture.callApp("worker_amal", "POST", "/contacts", { organisationId: "org_harbour" });
    const listContactAttempts = () => fixture.receiver.requests.filter(({ url }) => url.includes("/contact/new/"));
    await eventually("the event has failed", () => listContactAttempts().length === 3);
    const otherRequests = fixture.receiver.requests.filter((request) => !listContactAttempts().includes(request));
    expect(otherRequests.map(({ url }) => url)).toEqual([
      "/hooks/contact-suggestions",
      "/hooks/test",
      "/hooks/test/auth",
    ]);
    for (const { headers } of otherRequests) expect(headers).not.toHaveProperty("offers-delivery-id");
    for (const { headers } of listContactAttempts()) expect(headers["offers-delivery-id"]).toEqual(expect.any(String));
    expect((await readDeliveriesText()).match(/"type":/g)?.length).toBe(
      (deliveriesBefore.match(/"type":/g)?.length ?? 0) + 1,
    );
    await eventually("the delivery is dead", async () => (await readDeliveriesText()).includes('"dead"'));
  });

  test("the service calls only the documented paths, without a version [D-34] [interface: Introduction 1] [interface: Events 1] [interface: Versioning 2]", async () => {
    await fixture.enterProfile({ suggestsContacts: true });
    const offerId = await fixture.createOffer();
    for (const action of ["open", "apply", "close"])
      await fixture.callApp("worker_amal", "POST", `/offers/${offerId}/${action}`);
    await fixture.callApp("worker_amal", "POST", "/contacts", { organisationId: "org_harbour" });
    await search();
    await fixture.complete(offerId, ["worker_amal"]);
    await fixture.callApi("GET", `/offer/${offerId}/withdraw`);
    await waitForRequest("/hooks/offer/response");
    await waitForRequest("/hooks/contact/new/");
    expect([...new Set(listUrls())].sort()).toEqual([
      "GET /hooks/contact/new/worker_amal",
      "GET /hooks/test",
      "GET /hooks/test/auth",
      "POST /hooks/contact-suggestions",
      "POST /hooks/offer/response",
    ]);
  });
});
