import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { attemptDelivery } from "../../src/delivery/attempt/attempt-delivery.ts";
import { loadDeliveries } from "../../src/delivery/attempt/load-deliveries.ts";
import { recordEvent } from "../../src/delivery/record-event.ts";
import { webhooks } from "../../src/delivery/webhook-queue.ts";
import { createOutbound } from "../../src/outbound/create-outbound.ts";
import { createSigner } from "../../src/outbound/create-signer.ts";
import { claimRows } from "../../src/outbox/claim-rows.ts";
import { Leases } from "../../src/outbox/leases.ts";
import { openVisitor } from "../pages/page-visitor.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, openLowerHalf, testEncryptionKey } from "../support/lower-half.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { type Answer, answerWith, openReceiver, type ReceivedRequest, type Receiver } from "../support/receiver.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";

const dayMs = 24 * 60 * 60_000;
const [first, second, third] = [1, 2, 3].map((number) => `whsec_${Buffer.alloc(24, number).toString("base64")}`) as [
  string,
  string,
  string,
];

/** The documented digest, without our code. */
const isSignedWith = (secret: string, { headers }: ReceivedRequest): boolean =>
  headers.authorization ===
  `hmac ${createHash("sha256").update(`${headers.timestamp}${secret}`).digest("hex").toUpperCase()}`;

/** Answers 401 to what is not signed with one of these. */
const knowing =
  (...secrets: string[]): Answer =>
  (request, response) => {
    const isOpen = request.url.endsWith("/test") || secrets.some((secret) => isSignedWith(secret, request));
    answerWith(isOpen ? 200 : 401, {}, "[]")(request, response);
  };

describe.each(await anyStore())("the company profile on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let token: string;
  let receiver: Receiver;
  let stranger: Receiver;
  let aheadMs = 0;
  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place, {}, () => new Date(Date.now() + aheadMs));
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });
  beforeEach(async () => {
    receiver = await openReceiver(knowing(first));
    stranger = await openReceiver(answerWith(200, {}, "[]"));
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
      ...{ baseAddress: receiver.baseAddress, secret: first, suggestsContacts: true },
      ...changes,
    });
  const rotate = (secret: string, more: object = {}) => call("POST", "/portal/profile/rotation", { secret, ...more });
  const tell = async () => {
    const worker = await platform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    expect((await platform.call("POST", "/worker-app/contacts", { token: worker, json })).status).toBe(204);
  };
  const search = () => call("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
  const profile = async () => (await call("GET", "/portal/profile")).json<{ previousSecretUntil: string | null }>();
  const found = expect.objectContaining({ suggestions: [] });

  describe("shows checks", () => {
    test("with requests and responses, but no signature", async () => {
      receiver.answer = answerWith(200, { "content-type": "text/plain; charset=utf-8" }, `hello\0${"ü".repeat(2_000)}`);
      const saved = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      const expected = { status: 200, contentType: "text/plain; charset=utf-8", body: `hello\ufffd${"ü".repeat(509)}` };
      const { checks } = saved.json<{ checks: { headers: object }[] }>();
      expect(checks).toMatchObject([
        { method: "GET", path: "/test", passed: true, ...expected },
        { method: "GET", path: "/test/auth", passed: true, ...expected, milliseconds: expect.any(Number) },
      ]);
      const [plain, signed] = receiver.requests;
      expect(checks[0]?.headers).toEqual({ accept: "application/json", "user-agent": plain?.headers["user-agent"] });
      expect(checks[1]?.headers).toEqual({
        ...checks[0]?.headers,
        Timestamp: signed?.headers.timestamp,
        Authorization: "hmac ***",
        "webhook-id": signed?.headers["webhook-id"],
        "webhook-timestamp": signed?.headers["webhook-timestamp"],
        "webhook-signature": "v1,***",
      });
    });

    test("and attempts without what the endpoint repeats of signatures and secrets", async () => {
      receiver.answer = (request, response) => {
        const echo = {
          ...request,
          secret: first,
          bytes: Buffer.from(String(request.headers.authorization)).toString("base64"),
        };
        const type = `text/plain; echo=${request.headers.authorization?.slice(5)}`;
        answerWith(200, { "content-type": type }, JSON.stringify(echo))(request, response);
      };
      const saved = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      expect(saved.status).toBe(200);
      await tell();
      await eventually("it was delivered", () => receiver.requests.some(({ url }) => url.startsWith("/contact/new/")));
      const visitor = openVisitor(platform.address);
      await visitor.signIn("hana@harbour-hotels.example");
      let shown = "";
      await eventually("the attempt is shown", async () => {
        const { deliveries } = (await call("GET", "/portal/deliveries")).json<{ deliveries: { id: string }[] }>();
        shown = (await visitor.get(`/deliveries/${deliveries[0]?.id}`)).text;
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

    test("that failed with their responses, and changes nothing", async () => {
      await save();
      receiver.answer = answerWith(503, { "content-type": "text/html" }, "<h1>down</h1>");
      const refused = await save({ scheme: "timestampDigestAndStandardWebhooks" });
      const expected = { passed: false, status: 503, contentType: "text/html", body: "<h1>down</h1>" };
      expect(refused.json()).toMatchObject({ status: 422, checks: [expected, expected] });
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ scheme: "timestampDigest" });
    });
  });

  describe("rotates its secret", () => {
    test("to one that the endpoint knows already, and shows until when the old one helps out", async () => {
      await save();
      expect((await profile()).previousSecretUntil).toBeNull();
      const refused = await rotate(second);
      expect(refused.json()).toMatchObject({ status: 422, checks: [{ passed: true }, { passed: false, status: 401 }] });
      expect(await search()).toMatchObject({ status: 200 });

      receiver.answer = knowing(first, second);
      const before = Date.now();
      const rotated = await rotate(second);
      expect(rotated.json()).toMatchObject({ checks: [{ passed: true }, { passed: true }] });
      expect(Date.parse((await profile()).previousSecretUntil ?? "") - before).toBeGreaterThanOrEqual(dayMs);
      for (const secret of [first, second])
        expect(rotated.text + JSON.stringify(await profile())).not.toContain(secret);
    });

    test("and again within the day: the one before helps out, the first no more", async () => {
      await save();
      receiver.answer = knowing(first, second);
      expect((await rotate(second)).status).toBe(200);
      aheadMs = dayMs / 4;
      receiver.answer = knowing(second, third);
      const again = await rotate(third);
      // A whole day for the secret that was replaced now, whatever was left to the one before it.
      const until = Date.parse(again.json<{ previousSecretUntil: string }>().previousSecretUntil);
      expect(until - Date.now()).toBeGreaterThan(1.2 * dayMs);
      receiver.answer = knowing(second);
      expect((await search()).json()).toMatchObject({ results: [found] });
      receiver.requests.length = 0;
      receiver.answer = knowing(first);
      expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
      const signers = [first, second, third];
      expect(receiver.requests.map((request) => signers.findIndex((secret) => isSignedWith(secret, request)))).toEqual([
        2, 1,
      ]);
    });

    test("to another one only, with a profile only, and takes no address", async () => {
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

    test("and forgets the old one at once when anything else is saved", async () => {
      for (const changes of [{ secret: third }, { scheme: "timestampDigestAndStandardWebhooks", secret: second }]) {
        receiver.answer = knowing(first, second, third);
        await save();
        expect((await rotate(second)).status).toBe(200);
        expect((await save({ secret: second, suggestsContacts: true })).json()).toMatchObject({
          previousSecretUntil: expect.any(String),
        });
        expect((await save(changes)).json()).toMatchObject({ previousSecretUntil: null });
        receiver.answer = knowing(first);
        receiver.requests.length = 0;
        expect((await search()).json()).toMatchObject({ results: [{ failure: { status: 401 } }] });
        expect(receiver.requests.map((request) => isSignedWith(first, request))).toEqual([false]);
      }
    });
  });

  describe("gives another address no valid signature unless the secret is entered again", () => {
    const stolen = () =>
      stranger.requests.filter((request) => [first, second].some((secret) => isSignedWith(secret, request)));

    test("by any way of changing it", async () => {
      receiver.answer = knowing(first, second);
      await save();
      // Within an overlap there are two that could be lost.
      expect((await rotate(second)).status).toBe(200);
      stranger.answer = (request, response) =>
        answerWith(
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
      await tell();
      await eventually("it is told", () => receiver.requests.some(({ url }) => url.startsWith("/contact/new")));
      expect(stolen()).toEqual([]);
      expect((await call("GET", "/portal/profile")).json()).toMatchObject({ baseAddress: receiver.baseAddress });

      // With the new one entered, that one alone is used there, also while it refuses.
      stranger.answer = knowing(third);
      expect((await save({ baseAddress, secret: third })).status).toBe(200);
      stranger.answer = answerWith(401);
      await search();
      await tell();
      await eventually("it is told", () => stranger.requests.some(({ url }) => url.startsWith("/contact/new")));
      expect(stolen()).toEqual([]);
    });

    test("nor by changes at the same time", async () => {
      await save();
      let answerRotation = (): void => undefined;
      receiver.answer = (request, response) => {
        if (!isSignedWith(second, request)) return knowing(first)(request, response);
        answerRotation = () => answerWith(200)(request, response);
      };
      const rotation = rotate(second);
      await eventually("the rotation waits for its check", () =>
        receiver.requests.some((each) => isSignedWith(second, each)),
      );
      expect((await save({ baseAddress: stranger.baseAddress, secret: third })).status).toBe(200);
      answerRotation();
      expect((await rotation).json()).toMatchObject({ status: 409, code: "edit_conflict" });
      await search();
      expect(stolen()).toEqual([]);
      expect(stranger.requests.every((request) => request.url === "/test" || isSignedWith(third, request))).toBe(true);
    });
  });

  // The last one: sessions end with the day, too.
  test("sends what is refused once more with the old secret, for a day after a rotation; then that is gone", async () => {
    await save();
    receiver.answer = knowing(first, second);
    expect((await rotate(second)).status).toBe(200);
    // An instance that has not changed yet.
    receiver.answer = knowing(first);
    receiver.requests.length = 0;
    expect((await search()).json()).toEqual({ results: [found] });
    expect(receiver.requests.map((request) => [first, second].map((one) => isSignedWith(one, request)))).toEqual([
      [false, true],
      [true, false],
    ]);
    await tell();
    await eventually("it is told", () => receiver.requests.filter(({ method }) => method === "GET").length === 2);

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

test("a delivery that was claimed before the address changed goes where its secret belongs", async () => {
  const [stores] = await anyStore();
  const place = await stores?.createPlace();
  if (place === undefined) throw new Error("there is always a store");
  const half = await openLowerHalf(place);
  const [receiver, stranger] = [await openReceiver(), await openReceiver(answerWith(401))];
  const outbound = createOutbound({ allowLoopback: true });
  const organisationId = await addOrganisation(half.store, receiver.baseAddress);
  const event = { type: "workerAddedContact", data: { workerId: "worker-1" } } as const;
  await half.store.transaction((trx) => recordEvent(trx, organisationId, event));
  const now = () => new Date();
  const leases = new Leases(half.store, 3_000, (error) => half.errors.push(error));
  const [lease] = (await claimRows(half.store, leases, webhooks(now), 1)) ?? [];
  const claimed = (await loadDeliveries(half.store, [lease?.rowId ?? 0], now())).get(lease?.rowId ?? 0);
  if (claimed === undefined) throw new Error("it is due");
  await half.store.db.updateTable("endpoints").set({ base_address: stranger.baseAddress }).execute();
  const onError = (error: unknown) => void half.errors.push(error);
  const context = {
    outbound,
    sign: createSigner(now),
    encryptionKey: testEncryptionKey,
    timeoutMs: 2_000,
    now,
    onError,
  };
  expect(await attemptDelivery(context, claimed)).toMatchObject({ status: 200 });
  expect([receiver.requests.length, stranger.requests.length, half.errors]).toEqual([1, 0, []]);
  for (const each of [receiver, stranger, outbound, half]) await each.close();
  await place.remove();
});
