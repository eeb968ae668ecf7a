import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { eventually } from "../support/eventually.ts";
import { isSignedWith } from "../support/is-signed-with.ts";
import { openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const dayMs = 24 * 60 * 60_000;
const [firstSecret, secondSecret, thirdSecret] = [1, 2, 3].map(
  (number) => `whsec_${Buffer.alloc(24, number).toString("base64")}`,
) as [string, string, string];

/** Responds with 401 unless the request is for `/test` or signed with one of these secrets. */
const acceptSecrets =
  (...secrets: string[]): Respond =>
  (request, response) => {
    const isAccepted = request.url.endsWith("/test") || secrets.some((secret) => isSignedWith(secret, request));
    respondWith(isAccepted ? 200 : 401, {}, "[]")(request, response);
  };

describe.each(await anyStore())("the company profile on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase, now: () => new Date(Date.now() + clockOffsetMs) });
  let token: string;
  let receiver: Receiver;
  let otherReceiver: Receiver;
  let clockOffsetMs = 0;
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  beforeEach(async () => {
    receiver = await openReceiver(acceptSecrets(firstSecret));
    otherReceiver = await openReceiver(respondWith(200, {}, "[]"));
  });
  afterEach(async () => {
    clockOffsetMs = 0;
    await receiver.close();
    await otherReceiver.close();
  });

  const call = (method: string, path: string, json?: object) =>
    platform.call(method, path, { token, ...(json && { json }) });
  const save = (changes: object = {}) =>
    call("PUT", "/portal/profile", {
      baseAddress: receiver.baseAddress,
      secret: firstSecret,
      suggestsContacts: true,
      ...changes,
    });
  const rotate = (secret: string, otherFields: object = {}) =>
    call("POST", "/portal/profile/rotation", { secret, ...otherFields });
  const addContact = async () => {
    const workerToken = await platform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    const response = await platform.call("POST", "/worker-app/contacts", { token: workerToken, json });
    expect(response.status).toBe(204);
  };
  const search = () => call("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
  const readProfile = async () => (await call("GET", "/portal/profile")).json<{ previousSecretUntil: string | null }>();
  const emptyResult = expect.objectContaining({ suggestions: [] });

  describe("checks", () => {
    test("saving a profile returns the requests and responses of the checks, but no signatures", async () => {
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

    test("checks and attempts are shown without signatures and secrets, even if the endpoint echoes them [D-49]", async () => {
      receiver.respond = (request, response) => {
        const echo = {
          ...request,
          secret: firstSecret,
          bytes: Buffer.from(String(request.headers.authorization)).toString("base64"),
        };
        const type = `text/plain; echo=${request.headers.authorization?.slice(5)}`;
        respondWith(200, { "content-type": type }, JSON.stringify(echo))(request, response);
      };
      const saved = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      expect(saved.status).toBe(200);
      await addContact();
      await eventually("the contact is delivered", () =>
        receiver.requests.some(({ url }) => url.startsWith("/contact/new/")),
      );
      const client = openPageClient(platform.address);
      await client.signIn("hana@harbour-hotels.example");
      let pageText = "";
      await eventually("the attempt is shown", async () => {
        const { deliveries } = (await call("GET", "/portal/deliveries")).json<{ deliveries: { id: string }[] }>();
        pageText = (await client.get(`/deliveries/${deliveries[0]?.id}`)).text;
        return pageText.includes("offers-delivery-id");
      });
      expect(saved.text).toContain("hmac ***");
      const signed = receiver.requests.filter(({ headers }) => headers.authorization !== undefined);
      expect(signed.length).toBeGreaterThan(1);
      // Remove the prefixes `hmac ` and `v1,`.
      for (const { headers } of signed)
        for (const confidential of [
          headers.authorization?.slice(5),
          String(headers["webhook-signature"]).slice(3),
          firstSecret,
        ])
          for (const text of [saved.text, pageText, platform.logLines.join("")])
            for (const form of [
              String(confidential),
              Buffer.from(String(confidential)).toString("base64").slice(8, 32),
            ])
              expect(text.toLowerCase()).not.toContain(form.toLowerCase());
    });

    test("a profile whose checks fail is not saved, and their responses are shown", async () => {
      await save();
      receiver.respond = respondWith(503, { "content-type": "text/html" }, "<h1>down</h1>");
      const rejected = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      const expected = { passed: false, status: 503, contentType: "text/html", body: "<h1>down</h1>" };
      expect(rejected.json()).toMatchObject({ status: 422, checks: [expected, expected] });
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ scheme: "timestampDigest" });
    });
  });

  describe("secret rotation", () => {
    test("a secret is rotated only if the endpoint accepts the new secret, and the expiry of the old secret is shown [D-75]", async () => {
      await save();
      expect((await readProfile()).previousSecretUntil).toBeNull();
      const rejected = await rotate(secondSecret);
      expect(rejected.json()).toMatchObject({
        status: 422,
        checks: [{ passed: true }, { passed: false, status: 401 }],
      });
      expect(await search()).toMatchObject({ status: 200 });

      receiver.respond = acceptSecrets(firstSecret, secondSecret);
      const startedAt = Date.now();
      const rotated = await rotate(secondSecret);
      expect(rotated.json()).toMatchObject({ checks: [{ passed: true }, { passed: true }] });
      expect(Date.parse((await readProfile()).previousSecretUntil ?? "") - startedAt).toBeGreaterThanOrEqual(dayMs);
      for (const secret of [firstSecret, secondSecret])
        expect(rotated.text + JSON.stringify(await readProfile())).not.toContain(secret);
    });

    test("after two rotations within a day, the previous secret stays valid and the first does not [D-75]", async () => {
      await save();
      receiver.respond = acceptSecrets(firstSecret, secondSecret);
      expect((await rotate(secondSecret)).status).toBe(200);
      clockOffsetMs = dayMs / 4;
      receiver.respond = acceptSecrets(secondSecret, thirdSecret);
      const rotatedAgain = await rotate(thirdSecret);
      // The replaced secret stays valid for a whole day, regardless of how much time its predecessor had left.
      const until = Date.parse(rotatedAgain.json<{ previousSecretUntil: string }>().previousSecretUntil);
      expect(until - Date.now()).toBeGreaterThan(1.2 * dayMs);
      receiver.respond = acceptSecrets(secondSecret);
      expect((await search()).json()).toMatchObject({ results: [emptyResult] });
      receiver.requests.length = 0;
      receiver.respond = acceptSecrets(firstSecret);
      expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
      const secrets = [firstSecret, secondSecret, thirdSecret];
      expect(receiver.requests.map((request) => secrets.findIndex((secret) => isSignedWith(secret, request)))).toEqual([
        2, 1,
      ]);
    });

    test("a rotation requires a different secret and an existing profile, and rejects an address", async () => {
      await save();
      expect((await rotate(firstSecret)).json()).toMatchObject({
        status: 400,
        errors: { secret: [expect.stringContaining("current")] },
      });
      const boToken = await platform.signInPerson("bo@bistro-group.example");
      const withoutProfile = await platform.call("POST", "/portal/profile/rotation", {
        token: boToken,
        json: { secret: secondSecret },
      });
      expect(withoutProfile.json()).toMatchObject({ status: 409, code: "profile_missing" });
      receiver.requests.length = 0;
      const withAddress = await rotate(secondSecret, { baseAddress: otherReceiver.baseAddress });
      expect(withAddress.json()).toMatchObject({ status: 400, errors: { baseAddress: [expect.any(String)] } });
      expect([...receiver.requests, ...otherReceiver.requests]).toEqual([]);
    });

    test("saving a new secret or scheme drops the previous secret immediately [D-75]", async () => {
      for (const changes of [
        { secret: thirdSecret },
        { scheme: "timestampDigestAndStandardWebhooks", secret: secondSecret },
      ]) {
        receiver.respond = acceptSecrets(firstSecret, secondSecret, thirdSecret);
        await save();
        expect((await rotate(secondSecret)).status).toBe(200);
        expect((await save({ secret: secondSecret, suggestsContacts: true })).json()).toMatchObject({
          previousSecretUntil: expect.any(String),
        });
        expect((await save(changes)).json()).toMatchObject({ previousSecretUntil: null });
        receiver.respond = acceptSecrets(firstSecret);
        receiver.requests.length = 0;
        expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
        expect(receiver.requests.map((request) => isSignedWith(firstSecret, request))).toEqual([false]);
      }
    });
  });

  describe("signatures for new addresses", () => {
    const findLeakedSignatures = () =>
      otherReceiver.requests.filter((request) =>
        [firstSecret, secondSecret].some((secret) => isSignedWith(secret, request)),
      );

    test("a new address never gets a valid signature unless the secret is entered again", async () => {
      receiver.respond = acceptSecrets(firstSecret, secondSecret);
      await save();
      // During the overlap, two secrets could leak.
      expect((await rotate(secondSecret)).status).toBe(200);
      otherReceiver.respond = (request, response) =>
        respondWith(
          request.url.endsWith("/auth") && !isSignedWith(thirdSecret, request) ? 401 : 200,
          {},
          "[]",
        )(request, response);
      const baseAddress = otherReceiver.baseAddress;
      const attempts = [
        save({ baseAddress, secret: undefined }),
        save({ baseAddress, secret: "" }),
        save({ baseAddress, secret: null }),
        save({ baseAddress, secret: "a guess that is long enough" }),
        rotate(thirdSecret, { baseAddress }),
        rotate(thirdSecret, { base_address: baseAddress }),
        call("POST", `/portal/profile/rotation?baseAddress=${baseAddress}`, { secret: "a guess that is long enough" }),
        call("POST", "/portal/profile/enable", { baseAddress }),
        call("POST", "/portal/suggestions/search", { baseAddress }),
        call("POST", "/portal/invitations", { baseAddress, organisationId: "org_harbour", people: [] }),
        call("POST", "/portal/profile", { baseAddress }),
      ];
      await Promise.all(attempts);
      await search();
      await addContact();
      await eventually("the contact is delivered", () =>
        receiver.requests.some(({ url }) => url.startsWith("/contact/new")),
      );
      expect(findLeakedSignatures()).toEqual([]);
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ baseAddress: receiver.baseAddress });

      // Once a new secret is entered with the address, only that secret is used there, even if the address rejects it.
      otherReceiver.respond = acceptSecrets(thirdSecret);
      expect((await save({ baseAddress, secret: thirdSecret })).status).toBe(200);
      otherReceiver.respond = respondWith(401);
      await search();
      await addContact();
      await eventually("the contact is delivered", () =>
        otherReceiver.requests.some(({ url }) => url.startsWith("/contact/new")),
      );
      expect(findLeakedSignatures()).toEqual([]);
    });

    test("simultaneous changes of address and secret do not send the new address a signature with an old secret", async () => {
      await save();
      let respondToRotation = (): void => undefined;
      receiver.respond = (request, response) => {
        if (!isSignedWith(secondSecret, request)) return acceptSecrets(firstSecret)(request, response);
        respondToRotation = () => respondWith(200)(request, response);
      };
      const rotation = rotate(secondSecret);
      await eventually("the rotation waits for its check", () =>
        receiver.requests.some((request) => isSignedWith(secondSecret, request)),
      );
      expect((await save({ baseAddress: otherReceiver.baseAddress, secret: thirdSecret })).status).toBe(200);
      respondToRotation();
      expect((await rotation).json()).toMatchObject({ status: 409, code: "edit_conflict" });
      await search();
      expect(findLeakedSignatures()).toEqual([]);
      // Exclude the checks, the last of which is signed with a random secret.
      const laterRequests = otherReceiver.requests.filter(({ url }) => url !== "/test" && url !== "/test/auth");
      expect(laterRequests.every((request) => isSignedWith(thirdSecret, request))).toBe(true);
    });
  });

  // This runs last, because moving the clock by a day ends all sessions.
  test("a rejected request is retried with the old secret until a day after the rotation [D-75]", async () => {
    await save();
    receiver.respond = acceptSecrets(firstSecret, secondSecret);
    expect((await rotate(secondSecret)).status).toBe(200);
    // Simulate an instance that does not have the new secret yet.
    receiver.respond = acceptSecrets(firstSecret);
    receiver.requests.length = 0;
    expect((await search()).json()).toEqual({ results: [emptyResult] });
    expect(
      receiver.requests.map((request) => [firstSecret, secondSecret].map((secret) => isSignedWith(secret, request))),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
    await addContact();
    await eventually(
      "the contact is delivered",
      () => receiver.requests.filter(({ method }) => method === "GET").length === 2,
    );

    clockOffsetMs = dayMs + 1_000;
    receiver.requests.length = 0;
    const credentials = { emailAddress: "hana@harbour-hotels.example", password: "demo-password" };
    token = (await call("POST", "/portal/session", credentials)).json<{ token: string }>().token;
    expect((await search()).json()).toMatchObject({
      results: [{ failure: { code: "unexpected_status", status: 401 } }],
    });
    expect(receiver.requests.map((request) => isSignedWith(secondSecret, request))).toEqual([true]);
    expect((await readProfile()).previousSecretUntil).toBeNull();
  });
});
