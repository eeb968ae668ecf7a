import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { eventually } from "../support/eventually.ts";
import { isSignedWith } from "../support/is-signed-with.ts";
import { openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const dayMs = 24 * 60 * 60_000;
const [first, second, third] = [1, 2, 3].map((number) => `whsec_${Buffer.alloc(24, number).toString("base64")}`) as [
  string,
  string,
  string,
];

/** Responds with 401 unless the request is signed with one of these secrets. */
const knowing =
  (...secrets: string[]): Respond =>
  (request, response) => {
    const isOpen = request.url.endsWith("/test") || secrets.some((secret) => isSignedWith(secret, request));
    respondWith(isOpen ? 200 : 401, {}, "[]")(request, response);
  };

describe.each(await anyStore())("the company profile on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase, now: () => new Date(Date.now() + aheadMs) });
  let token: string;
  let receiver: Receiver;
  let stranger: Receiver;
  let aheadMs = 0;
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  beforeEach(async () => {
    receiver = await openReceiver(knowing(first));
    stranger = await openReceiver(respondWith(200, {}, "[]"));
  });
  afterEach(async () => {
    aheadMs = 0;
    await receiver.close();
    await stranger.close();
  });

  const call = (method: string, path: string, json?: object) =>
    platform.call(method, path, { token, ...(json && { json }) });
  const save = (changes: object = {}) =>
    call("PUT", "/portal/profile", {
      baseAddress: receiver.baseAddress,
      secret: first,
      suggestsContacts: true,
      ...changes,
    });
  const rotate = (secret: string, more: object = {}) => call("POST", "/portal/profile/rotation", { secret, ...more });
  const addContact = async () => {
    const worker = await platform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    expect((await platform.call("POST", "/worker-app/contacts", { token: worker, json })).status).toBe(204);
  };
  const search = () => call("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
  const profile = async () => (await call("GET", "/portal/profile")).json<{ previousSecretUntil: string | null }>();
  const found = expect.objectContaining({ suggestions: [] });

  describe("shows checks", () => {
    test("with requests and responses, but no signature", async () => {
      receiver.respond = respondWith(
        200,
        { "content-type": "text/plain; charset=utf-8" },
        `hello\0${"ü".repeat(2_000)}`,
      );
      const saved = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      const expected = { status: 200, contentType: "text/plain; charset=utf-8", body: `hello\ufffd${"ü".repeat(509)}` };
      const { checks } = saved.json<{ checks: { headers: object }[] }>();
      expect(checks).toMatchObject([
        { method: "GET", path: "/test", passed: true, ...expected },
        { method: "GET", path: "/test/auth", passed: true, ...expected, milliseconds: expect.any(Number) },
      ]);
      const [plain, signed] = receiver.requests;
      expect(checks[0]?.headers).toEqual({
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": plain?.headers["user-agent"],
      });
      expect(checks[1]?.headers).toEqual({
        ...checks[0]?.headers,
        Timestamp: signed?.headers.timestamp,
        Authorization: "hmac ***",
        "webhook-id": signed?.headers["webhook-id"],
        "webhook-timestamp": signed?.headers["webhook-timestamp"],
        "webhook-signature": "v1,***",
      });
    });

    test("and attempts without the signatures and secrets that the endpoint echoes [D-49]", async () => {
      receiver.respond = (request, response) => {
        const echo = {
          ...request,
          secret: first,
          bytes: Buffer.from(String(request.headers.authorization)).toString("base64"),
        };
        const type = `text/plain; echo=${request.headers.authorization?.slice(5)}`;
        respondWith(200, { "content-type": type }, JSON.stringify(echo))(request, response);
      };
      const saved = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      expect(saved.status).toBe(200);
      await addContact();
      await eventually("it was delivered", () => receiver.requests.some(({ url }) => url.startsWith("/contact/new/")));
      const client = openPageClient(platform.address);
      await client.signIn("hana@harbour-hotels.example");
      let shown = "";
      await eventually("the attempt is shown", async () => {
        const { deliveries } = (await call("GET", "/portal/deliveries")).json<{ deliveries: { id: string }[] }>();
        shown = (await client.get(`/deliveries/${deliveries[0]?.id}`)).text;
        return shown.includes("offers-delivery-id");
      });
      expect(saved.text).toContain("hmac ***");
      const signed = receiver.requests.filter(({ headers }) => headers.authorization !== undefined);
      expect(signed.length).toBeGreaterThan(1);
      for (const { headers } of signed)
        for (const proof of [headers.authorization?.slice(5), String(headers["webhook-signature"]).slice(3), first])
          for (const text of [saved.text, shown, platform.logLines.join("")])
            for (const form of [String(proof), Buffer.from(String(proof)).toString("base64").slice(8, 32)])
              expect(text.toLowerCase()).not.toContain(form.toLowerCase());
    });

    test("with their responses when they fail, and changes nothing", async () => {
      await save();
      receiver.respond = respondWith(503, { "content-type": "text/html" }, "<h1>down</h1>");
      const refused = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      const expected = { passed: false, status: 503, contentType: "text/html", body: "<h1>down</h1>" };
      expect(refused.json()).toMatchObject({ status: 422, checks: [expected, expected] });
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ scheme: "timestampDigest" });
    });
  });

  describe("rotates its secret", () => {
    test("to one that the endpoint already accepts, and shows until when the old one is valid [D-75]", async () => {
      await save();
      expect((await profile()).previousSecretUntil).toBeNull();
      const refused = await rotate(second);
      expect(refused.json()).toMatchObject({ status: 422, checks: [{ passed: true }, { passed: false, status: 401 }] });
      expect(await search()).toMatchObject({ status: 200 });

      receiver.respond = knowing(first, second);
      const before = Date.now();
      const rotated = await rotate(second);
      expect(rotated.json()).toMatchObject({ checks: [{ passed: true }, { passed: true }] });
      expect(Date.parse((await profile()).previousSecretUntil ?? "") - before).toBeGreaterThanOrEqual(dayMs);
      for (const secret of [first, second])
        expect(rotated.text + JSON.stringify(await profile())).not.toContain(secret);
    });

    test("again within a day: the previous one stays valid, the first does not [D-75]", async () => {
      await save();
      receiver.respond = knowing(first, second);
      expect((await rotate(second)).status).toBe(200);
      aheadMs = dayMs / 4;
      receiver.respond = knowing(second, third);
      const again = await rotate(third);
      // The replaced secret stays valid for a whole day, however much time its predecessor had left.
      const until = Date.parse(again.json<{ previousSecretUntil: string }>().previousSecretUntil);
      expect(until - Date.now()).toBeGreaterThan(1.2 * dayMs);
      receiver.respond = knowing(second);
      expect((await search()).json()).toMatchObject({ results: [found] });
      receiver.requests.length = 0;
      receiver.respond = knowing(first);
      expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
      const signers = [first, second, third];
      expect(receiver.requests.map((request) => signers.findIndex((secret) => isSignedWith(secret, request)))).toEqual([
        2, 1,
      ]);
    });

    test("only to a different one, only on an existing profile, and without an address", async () => {
      await save();
      expect((await rotate(first)).json()).toMatchObject({
        status: 400,
        errors: { secret: [expect.stringContaining("current")] },
      });
      const bo = await platform.signInPerson("bo@bistro-group.example");
      const without = await platform.call("POST", "/portal/profile/rotation", { token: bo, json: { secret: second } });
      expect(without.json()).toMatchObject({ status: 409, code: "profile_missing" });
      receiver.requests.length = 0;
      const moved = await rotate(second, { baseAddress: stranger.baseAddress });
      expect(moved.json()).toMatchObject({ status: 400, errors: { baseAddress: [expect.any(String)] } });
      expect([...receiver.requests, ...stranger.requests]).toEqual([]);
    });

    test("and drops the old one immediately when anything else is saved [D-75]", async () => {
      for (const changes of [{ secret: third }, { scheme: "timestampDigestAndStandardWebhooks", secret: second }]) {
        receiver.respond = knowing(first, second, third);
        await save();
        expect((await rotate(second)).status).toBe(200);
        expect((await save({ secret: second, suggestsContacts: true })).json()).toMatchObject({
          previousSecretUntil: expect.any(String),
        });
        expect((await save(changes)).json()).toMatchObject({ previousSecretUntil: null });
        receiver.respond = knowing(first);
        receiver.requests.length = 0;
        expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
        expect(receiver.requests.map((request) => isSignedWith(first, request))).toEqual([false]);
      }
    });
  });

  describe("sends a new address no valid signature unless the secret is entered again", () => {
    const stolen = () =>
      stranger.requests.filter((request) => [first, second].some((secret) => isSignedWith(secret, request)));

    test("in any way of changing the address", async () => {
      receiver.respond = knowing(first, second);
      await save();
      // During the overlap, two secrets could leak.
      expect((await rotate(second)).status).toBe(200);
      stranger.respond = (request, response) =>
        respondWith(
          request.url.endsWith("/auth") && !isSignedWith(third, request) ? 401 : 200,
          {},
          "[]",
        )(request, response);
      const baseAddress = stranger.baseAddress;
      const tries = [
        save({ baseAddress, secret: undefined }),
        save({ baseAddress, secret: "" }),
        save({ baseAddress, secret: null }),
        save({ baseAddress, secret: "a guess that is long enough" }),
        rotate(third, { baseAddress }),
        rotate(third, { base_address: baseAddress }),
        call("POST", `/portal/profile/rotation?baseAddress=${baseAddress}`, { secret: "a guess that is long enough" }),
        call("POST", "/portal/profile/enable", { baseAddress }),
        call("POST", "/portal/suggestions/search", { baseAddress }),
        call("POST", "/portal/invitations", { baseAddress, organisationId: "org_harbour", people: [] }),
        call("POST", "/portal/profile", { baseAddress }),
      ];
      await Promise.all(tries);
      await search();
      await addContact();
      await eventually("it is delivered", () => receiver.requests.some(({ url }) => url.startsWith("/contact/new")));
      expect(stolen()).toEqual([]);
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ baseAddress: receiver.baseAddress });

      // When the new secret is entered, only that one is used there, even while it is rejected.
      stranger.respond = knowing(third);
      expect((await save({ baseAddress, secret: third })).status).toBe(200);
      stranger.respond = respondWith(401);
      await search();
      await addContact();
      await eventually("it is delivered", () => stranger.requests.some(({ url }) => url.startsWith("/contact/new")));
      expect(stolen()).toEqual([]);
    });

    test("during simultaneous changes", async () => {
      await save();
      let respondToRotation = (): void => undefined;
      receiver.respond = (request, response) => {
        if (!isSignedWith(second, request)) return knowing(first)(request, response);
        respondToRotation = () => respondWith(200)(request, response);
      };
      const rotation = rotate(second);
      await eventually("the rotation waits for its check", () =>
        receiver.requests.some((each) => isSignedWith(second, each)),
      );
      expect((await save({ baseAddress: stranger.baseAddress, secret: third })).status).toBe(200);
      respondToRotation();
      expect((await rotation).json()).toMatchObject({ status: 409, code: "edit_conflict" });
      await search();
      expect(stolen()).toEqual([]);
      // Exclude the checks, the last of which is signed with a random secret.
      const others = stranger.requests.filter(({ url }) => url !== "/test" && url !== "/test/auth");
      expect(others.every((request) => isSignedWith(third, request))).toBe(true);
    });
  });

  // Runs last, because sessions also end within the day.
  test("retries a rejected request with the old secret for a day after a rotation, and not after that [D-75]", async () => {
    await save();
    receiver.respond = knowing(first, second);
    expect((await rotate(second)).status).toBe(200);
    // Simulate an instance that does not have the new secret yet.
    receiver.respond = knowing(first);
    receiver.requests.length = 0;
    expect((await search()).json()).toEqual({ results: [found] });
    expect(receiver.requests.map((request) => [first, second].map((one) => isSignedWith(one, request)))).toEqual([
      [false, true],
      [true, false],
    ]);
    await addContact();
    await eventually("it is delivered", () => receiver.requests.filter(({ method }) => method === "GET").length === 2);

    aheadMs = dayMs + 1_000;
    receiver.requests.length = 0;
    const credentials = { emailAddress: "hana@harbour-hotels.example", password: "demo-password" };
    token = (await call("POST", "/portal/session", credentials)).json<{ token: string }>().token;
    expect((await search()).json()).toMatchObject({
      results: [{ failure: { code: "unexpected_status", status: 401 } }],
    });
    expect(receiver.requests.map((request) => isSignedWith(second, request))).toEqual([true]);
    expect((await profile()).previousSecretUntil).toBeNull();
  });
});
