import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type CallOptions, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { type Answer, answerWith, hang, openReceiver, type Receiver } from "../support/receiver.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** Checks the documented digest without our code: SHA-256 over the timestamp's text and the secret. */
const authenticating =
  (then: Answer): Answer =>
  (request, response) => {
    const expected = createHash("sha256").update(`${request.headers.timestamp}${secret}`).digest("hex").toUpperCase();
    const open = request.url.endsWith("/test") || request.headers.authorization === `hmac ${expected}`;
    (open ? then : answerWith(401))(request, response);
  };

const rating = { rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30" };
const dana = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [rating] };

describe.each(await anyStore())("the portal on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let receiver: Receiver;
  let token: string;
  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place);
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });
  beforeEach(async () => {
    receiver = await openReceiver(authenticating(answerWith(200)));
  });
  afterEach(() => receiver.close());

  const call = (method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, path, { token, ...options });
  const save = (changes: object = {}, as = token) => {
    const baseAddress = `${receiver.baseAddress}/hooks/`;
    return call("PUT", "/portal/profile", {
      token: as,
      json: { baseAddress, secret, suggestsContacts: false, ...changes },
    });
  };

  describe("signing in", () => {
    test.each(["hana@harbour-hotels.example", "hana.lind@harbour-hotels.example", "HANA@Harbour-Hotels.EXAMPLE"])(
      "works with %s",
      async (address) => expect(await platform.signInPerson(address)).toMatch(/^[\w-]{43}$/),
    );

    test.each([
      { emailAddress: "hana@harbour-hotels.example", password: "demo-passwore" },
      { emailAddress: "nobody@harbour-hotels.example", password: "demo-password" },
      { emailAddress: "worker_amal", password: "demo-password" },
    ])("with %o is 401 and does not say what was wrong", async (json) => {
      const response = await platform.call("POST", "/portal/session", { json });
      expect(response.json()).toMatchObject({ status: 401, code: "invalid_credentials" });
    });

    test("is refused after ten wrong passwords, for this account alone", async () => {
      const guess = (emailAddress: string) =>
        platform.call("POST", "/portal/session", { json: { emailAddress, password: "demo-passwore" } });
      const statuses = [];
      for (let count = 0; count < 11; count += 1) statuses.push((await guess(`guessed@example.com`)).status);
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
      const refused = await guess("GUESSED@example.com");
      expect(refused.json()).toMatchObject({ code: "too_many_sign_ins" });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(200);
      expect((await guess("else@example.com")).status).toBe(401);
    });

    test("ends with the session", async () => {
      const credentials = { emailAddress: "ada@crew-agency.example", password: "demo-password" };
      const signedIn = await platform.call("POST", "/portal/session", { json: credentials });
      const { token: ended, expiresAt } = signedIn.json<{ token: string; expiresAt: string }>();
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
      expect((await call("GET", "/portal/profile", { token: ended })).status).toBe(200);
      expect((await call("DELETE", "/worker-app/session", { token: ended })).status).toBe(204);
      expect((await call("GET", "/portal/profile", { token: ended })).status).toBe(200);
      expect((await call("DELETE", "/portal/session", { token: ended })).status).toBe(204);
      expect((await call("GET", "/portal/profile", { token: ended })).status).toBe(401);
    });

    test("is needed everywhere; an API key or a worker's token is no substitute", async () => {
      const worker = await platform.signInWorker("worker_amal");
      for (const [method, path] of [
        ["GET", "/portal/profile"],
        ["PUT", "/portal/profile"],
        ["GET", "/portal/offers"],
        ["GET", "/portal/deliveries"],
        ["POST", "/portal/deliveries/x/redeliver"],
        ["POST", "/portal/deliveries/redeliver"],
        ["POST", "/portal/profile/enable"],
        ["GET", "/portal/suggestions/organisations"],
        ["POST", "/portal/suggestions/search"],
        ["GET", "/portal/invitations"],
        ["POST", "/portal/invitations"],
        ["GET", "/portal/mailbox"],
      ] as const)
        for (const credentials of [{}, { key: "demo-key-harbour" }, { token: worker }, { token: "x" }]) {
          const response = await platform.call(method, path, credentials);
          expect(response.json()).toMatchObject({ status: 401, code: "unauthenticated" });
          expect(response.headers.get("www-authenticate")).toBe("Bearer");
        }
    });
  });

  describe("the company profile", () => {
    test("is saved when both checks get 200, the second one signed", async () => {
      const response = await save({ suggestsContacts: true });
      expect(response.status).toBe(200);
      const check = { method: "GET", passed: true, status: 200, failure: null, milliseconds: expect.any(Number) };
      expect(response.json()).toMatchObject({
        organisation: { id: "org_harbour", name: "Harbour Hotels" },
        baseAddress: `${receiver.baseAddress}/hooks/`,
        suggestsContacts: true,
        checks: [
          { ...check, path: "/test" },
          { ...check, path: "/test/auth" },
        ],
      });
      const [first, second] = receiver.requests;
      expect([first?.url, second?.url]).toEqual(["/hooks/test", "/hooks/test/auth"]);
      expect(first?.headers).not.toHaveProperty("authorization");
    });

    test("never shows the secret", async () => {
      await save();
      const profile = await call("GET", "/portal/profile");
      expect(profile.json()).toMatchObject({ baseAddress: `${receiver.baseAddress}/hooks/` });
      expect(profile.text).not.toContain(secret);
      expect(platform.logLines.join()).not.toContain(secret);
    });

    test.each<[string, Answer, number | null, number | null]>([
      ["answers 500", answerWith(500), 500, 500],
      ["answers 204", answerWith(204), 204, 204],
      ["redirects", answerWith(302, { location: "/elsewhere" }), 302, 302],
      [
        "refuses the secret",
        (request, response) => answerWith(request.url.endsWith("/auth") ? 401 : 200)(request, response),
        200,
        401,
      ],
      ["hangs up", (_, response) => void response.destroy(), null, null],
    ])("is not changed when the address %s", async (_, response, test, auth) => {
      await save();
      const before = (await call("GET", "/portal/profile")).text;
      receiver.answer = response;
      const refused = await save({ suggestsContacts: true, baseAddress: `${receiver.baseAddress}/other` });
      expect(refused.json()).toMatchObject({
        status: 422,
        code: "endpoint_check_failed",
        checks: [
          { path: "/test", status: test, reason: expect.any(String) },
          { path: "/test/auth", status: auth, passed: false, reason: expect.any(String) },
        ],
      });
      expect((await call("GET", "/portal/profile")).text).toBe(before);
    });

    test.each([
      ["http://127.0.0.1:1", "connection_refused"],
      ["http://169.254.169.254/latest", "forbidden_address"],
      ["http://10.0.0.1", "forbidden_address"],
      ["ftp://example.com", "invalid_address"],
      ["not an address", "invalid_address"],
      ["http://127.0.0.1:99999", "invalid_address"],
      [`http://${"a".repeat(300)}`, expect.any(String)],
      ["http://user:pass@127.0.0.1", "invalid_address"],
    ])("is not saved with the address %s", async (baseAddress, failure) =>
      expect((await save({ baseAddress })).json()).toMatchObject({
        status: 422,
        checks: [
          { passed: false, status: null, failure },
          { passed: false, status: null, failure },
        ],
      }),
    );

    test.each([
      [{ secret: undefined }, "secret"],
      [{ secret: "short" }, "secret"],
      [{ secret: `${secret} ` }, "secret"],
      [{ secret: `${secret}\t${secret}` }, "secret"],
      [{ secret: `${secret}\n${secret}` }, "secret"],
      [{ baseAddress: "" }, "baseAddress"],
      [{ suggestsContacts: "yes" }, "suggestsContacts"],
      [{ extra: 1 }, "extra"],
    ])("with %o is 400, and nothing is called", async (changes, field) => {
      const response = await save(changes);
      expect(response.json()).toMatchObject({ status: 400, errors: { [field]: [expect.any(String)] } });
      expect(receiver.requests).toEqual([]);
    });
  });

  describe("offers and deliveries", () => {
    const createOffer = async (): Promise<string> => {
      const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal", "worker_ben"] };
      return (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>().id;
    };
    const act = async (workerId: string, path: string, options: CallOptions = {}) =>
      call("POST", `/worker-app/${path}`, { ...options, token: await platform.signInWorker(workerId) });
    type Delivery = { id: string; state: string; type: string; data: { offerId?: string }; attempts: object[] };
    const deliveriesOf = async (offerId: string): Promise<Delivery[]> => {
      const all = (await call("GET", "/portal/deliveries")).json<{ deliveries: Delivery[] }>().deliveries;
      return all.filter(({ data }) => data.offerId === offerId);
    };

    test("a response is delivered, signed, and listed with its attempt", async () => {
      await save();
      const offerId = await createOffer();
      await act("worker_amal", `offers/${offerId}/apply`);
      await act("worker_amal", `offers/${offerId}/apply`);
      await act("worker_ben", `offers/${offerId}/open`);
      await act("worker_ben", `offers/${offerId}/close`);
      await eventually("delivered", async () =>
        (await deliveriesOf(offerId)).some(({ state }) => state === "acknowledged"),
      );
      expect(await deliveriesOf(offerId)).toEqual([
        {
          id: expect.any(String),
          eventId: expect.any(String),
          type: "workerOfferResponse",
          data: { offerId, workerId: "worker_amal", response: "accepted" },
          state: "acknowledged",
          redeliveryOf: null,
          createdAt: expect.any(String),
          nextAttemptAt: null,
          attempts: [
            {
              number: 1,
              method: "POST",
              path: "/offer/response",
              startedAt: expect.any(String),
              status: 200,
              error: null,
              milliseconds: expect.any(Number),
            },
          ],
        },
      ]);
      const sent = receiver.requests.filter(({ method }) => method === "POST");
      expect(sent.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
        ["/hooks/offer/response", { offerId, workerId: "worker_amal", response: "accepted" }],
      ]);
    });

    test("a contact that a worker adds is sent to that organisation", async () => {
      await save();
      expect((await act("worker_cleo", "contacts", { json: { organisationId: "org_harbour" } })).status).toBe(204);
      await eventually("delivered", () =>
        receiver.requests.some(({ url }) => url === "/hooks/contact/new/worker_cleo"),
      );
      const unknown = await act("worker_cleo", "contacts", { json: { organisationId: "org_nobody" } });
      expect(unknown.json()).toMatchObject({ status: 404, code: "organisation_not_found" });
    });

    test("a dead letter is redelivered under its old id, an acknowledged delivery is not", async () => {
      await save();
      const offerId = await createOffer();
      receiver.answer = answerWith(500);
      await act("worker_amal", `offers/${offerId}/reject`);
      await eventually("given up", async () => (await deliveriesOf(offerId))[0]?.state === "dead");
      const [dead] = await deliveriesOf(offerId);
      expect(dead?.attempts).toMatchObject([
        { number: 1, status: 500, error: "not_acknowledged" },
        { number: 2, status: 500 },
        { number: 3, status: 500 },
      ]);
      const path = `/portal/deliveries/${dead?.id}/redeliver`;
      const stranger = await platform.signInPerson("bo@bistro-group.example");
      expect((await call("POST", path, { token: stranger })).json()).toMatchObject({ code: "delivery_not_found" });

      receiver.answer = authenticating(answerWith(200));
      expect((await call("POST", path)).json()).toEqual({ id: dead?.id });
      await eventually("redelivered", async () => (await deliveriesOf(offerId))[0]?.state === "acknowledged");
      expect((await deliveriesOf(offerId))[0]?.id).toBe(dead?.id);
      expect((await call("POST", path)).json<{ id: string }>().id).not.toBe(dead?.id);
    });

    test("the organisation's offers are listed with counts of responses", async () => {
      const offerId = await createOffer();
      await act("worker_amal", `offers/${offerId}/apply`);
      expect((await call("GET", "/portal/offers")).json<{ offers: object[] }>().offers[0]).toMatchObject({
        id: offerId,
        title: "Bar",
        complete: false,
        widthdrawn: false,
        isHistoric: false,
        responses: { applied: 1, rejected: 0, none: 1 },
      });
      const stranger = await platform.signInPerson("bo@bistro-group.example");
      expect((await call("GET", "/portal/offers", { token: stranger })).json()).toEqual({ offers: [], next: null });
      expect((await call("GET", "/portal/deliveries", { token: stranger })).json()).toEqual({
        deliveries: [],
        next: null,
      });
    });
  });

  describe("suggestions and invitations", () => {
    const others = ["bo@bistro-group.example", "ada@crew-agency.example"];
    const implement = async (emailAddress: string, on: Receiver): Promise<void> => {
      const as = await platform.signInPerson(emailAddress);
      const response = await save({ baseAddress: on.baseAddress, suggestsContacts: true }, as);
      expect(response.status).toBe(200);
    };
    const ask = (json: object = {}) =>
      call("POST", "/portal/suggestions/search", { json: { organisationIds: ["org_harbour"], ...json } });
    const search = async (json: object = {}) => (await ask(json)).json<{ results: object[] }>().results;
    const ofAll = { organisationIds: ["org_harbour", "org_bistro", "org_crew"] };

    test("asks those named of the organisations that implement them, with the person's addresses and the filter, signed", async () => {
      await save({ suggestsContacts: true });
      receiver.answer = authenticating(answerWith(200, {}, JSON.stringify([dana])));
      expect(await search({ filter: "" })).toHaveLength(1);
      expect(JSON.parse(receiver.requests.at(-1)?.body ?? "")).not.toHaveProperty("filter");
      expect(await search({ filter: "chef" })).toEqual([
        {
          organisation: { id: "org_harbour", name: "Harbour Hotels" },
          suggestions: [{ ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30T00:00:00Z" }] }],
        },
      ]);
      // What was delivered before may be tried again meanwhile.
      const { method, body } = receiver.requests.findLast(({ url }) => url === "/hooks/contact-suggestions") ?? {};
      expect(method).toBe("POST");
      expect(JSON.parse(body ?? "")).toEqual({
        filter: "chef",
        userEmailAddresses: ["hana.lind@harbour-hotels.example", "hana@harbour-hotels.example"],
      });
    });

    test("does not call an organisation that turned them off", async () => {
      await save({ suggestsContacts: false });
      const asked = receiver.requests.length;
      expect((await ask()).json()).toMatchObject({ status: 422, code: "organisation_not_suggesting" });
      expect(receiver.requests).toHaveLength(asked);
    });

    test("an organisation that fails, hangs or sends an invalid response is reported, and the others are shown", async () => {
      const [bistro, crew] = await Promise.all([openReceiver(), openReceiver()]);
      try {
        await save({ suggestsContacts: true });
        await implement(others[0] ?? "", bistro);
        await implement(others[1] ?? "", crew);
        receiver.answer = answerWith(200, {}, JSON.stringify([dana]));
        bistro.answer = hang;
        crew.answer = answerWith(200, {}, JSON.stringify([{ ...dana, ratings: [{ ...rating, rating: 6 }] }]));
        expect(await search(ofAll)).toMatchObject([
          {
            organisation: { id: "org_bistro" },
            failure: { code: "timeout", status: null, message: expect.any(String) },
          },
          {
            organisation: { id: "org_crew" },
            failure: {
              code: "invalid_suggestions",
              status: 200,
              message: expect.stringContaining("[0].ratings[0].rating"),
            },
          },
          { organisation: { id: "org_harbour" }, suggestions: [{ name: "Dana Kim" }] },
        ]);

        bistro.answer = answerWith(500);
        crew.answer = answerWith(200, {}, "<html>");
        expect(await search(ofAll)).toMatchObject([
          { failure: { code: "unexpected_status", status: 500 } },
          { failure: { code: "malformed_json", status: 200 } },
          { suggestions: [{}] },
        ]);
      } finally {
        await Promise.all([bistro.close(), crew.close()]);
      }
    });

    test("people who were picked get a mail each", async () => {
      await save({ suggestsContacts: true });
      const people = [
        { name: "Dana Kim", emailAddress: "dana.kim@example.com" },
        { name: "Eli Roy", emailAddress: "eli.roy@example.com" },
      ];
      receiver.answer = answerWith(200, {}, JSON.stringify(people.map((one) => ({ ...one, ratings: [] }))));
      await search();
      const again = { name: "Eli Roy", emailAddress: "Eli.Roy@example.com" };
      const json = { organisationId: "org_harbour", people: [...people, again] };
      expect((await call("POST", "/portal/invitations", { json })).json()).toMatchObject({ invitations: people });
      expect((await call("GET", "/portal/invitations")).json<{ invitations: object[] }>().invitations).toHaveLength(2);
      const mailbox = (await call("GET", "/portal/mailbox")).json<{ mails: { to: string; subject: string }[] }>();
      const invited = mailbox.mails.filter(({ subject }) => subject === "Harbour Hotels invites you");
      expect(invited.map(({ to }) => to)).toEqual(["eli.roy@example.com", "dana.kim@example.com"]);
    });

    test.each([
      [{ organisationId: "org_nobody", people: [{ name: "A", emailAddress: "a@b" }] }, 404],
      [{ organisationId: "org_harbour", people: [] }, 400],
      [{ organisationId: "org_harbour", people: [{ name: "A\nand a line", emailAddress: "a@b" }] }, 400],
      [{ organisationId: "org_harbour", people: [{ name: "A", emailAddress: "nobody" }] }, 400],
    ])("no person is invited with %o", async (json, status) =>
      expect((await call("POST", "/portal/invitations", { json })).status).toBe(status),
    );
  });
});

describe("outside development", async () => {
  const [store] = await anyStore();

  test("a person sees mail to themselves only", async () => {
    const place = await store?.createPlace();
    if (place === undefined) throw new Error("there is always a store");
    const platform = await openPlatform(place, { showAllMail: false });
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    for (const notifyEmailAddress of ["Hana@Harbour-Hotels.example", "else@example.com"])
      await platform.call("POST", "/offer", { key: "demo-key-harbour", json: { ...json, notifyEmailAddress } });
    const mails = async (who: string) =>
      (await platform.call("GET", "/portal/mailbox", { token: await platform.signInPerson(who) })).json();
    expect(await mails("hana@harbour-hotels.example")).toMatchObject({
      mails: [{ to: "Hana@Harbour-Hotels.example", subject: "Offer created: Bar" }],
    });
    expect(await mails("bo@bistro-group.example")).toEqual({ mails: [], next: null });
    await platform.close();
    await place.remove();
  });
});
