import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { OffersClient, ServerError } from "@offers/client";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { CallOptions, PlatformResponse } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

// Nothing may depend on the platform's time zone, so use one with daylight saving time.
vi.stubEnv("TZ", "Europe/Berlin");
afterAll(() => void vi.unstubAllEnvs());

const key = "demo-key-harbour";
const bodyLimitBytes = 64 * 1024;
const input = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };
const json = { "Content-Type": "application/json" };

describe.each(await anyStore())("edge cases of the API on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase, settings: { bodyLimitBytes }, now: () => readClock() });
  let readClock = () => new Date();
  const setClock = (time: string) => {
    readClock = () => new Date(time);
  };
  afterEach(() => {
    readClock = () => new Date();
  });

  const call = (method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, path, { key, ...options });
  const create = (changes: object = {}) => call("POST", "/offer", { json: { ...input, ...changes } });
  const extractId = (response: PlatformResponse): string => response.json<{ id: string }>().id;

  describe("HEAD and OPTIONS", () => {
    const allowedMethods = {
      "/offer": "POST",
      "/offer/x": "GET, HEAD",
      "/offer/x/complete": "POST",
      "/offer/x/withdraw": "GET",
      "/portal/session": "POST, DELETE",
      "/portal/profile": "GET, PUT, HEAD",
      "/portal/offers": "GET, HEAD",
      "/portal/deliveries": "GET, HEAD",
      "/portal/deliveries/x/redeliver": "POST",
      "/portal/deliveries/redeliver": "POST",
      "/portal/profile/enable": "POST",
      "/portal/suggestions/organisations": "GET, HEAD",
      "/portal/suggestions/search": "POST",
      "/portal/invitations": "GET, POST, HEAD",
      "/portal/mailbox": "GET, HEAD",
      "/worker-app/session": "POST, DELETE",
      "/worker-app/notifications": "GET, HEAD",
      "/worker-app/notifications/stream": "GET",
      "/worker-app/offers/x": "GET, HEAD",
      "/worker-app/offers/x/open": "POST",
      "/worker-app/offers/x/apply": "POST",
      "/worker-app/offers/x/reject": "POST",
      "/worker-app/offers/x/close": "POST",
      "/worker-app/contacts": "POST",
      "/worker-app/devices": "GET, POST, HEAD",
      "/worker-app/devices/x": "DELETE",
      "/healthz": "GET, HEAD",
      "/readyz": "GET, HEAD",
    };

    test.each(Object.entries(allowedMethods))(
      "%s allows only %s, and grants other origins no access [D-52]",
      async (path, allow) => {
        const preflight = { Origin: "https://evil.example", "Access-Control-Request-Method": "GET" };
        const options = await call("OPTIONS", path, { headers: preflight });
        expect([options.status, options.headers.get("allow")]).toEqual([405, allow]);
        expect([...options.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
        const head = await call("HEAD", path);
        expect(head.text).toBe("");
        expect(head.status === 405).toBe(!allow.includes("HEAD"));
      },
    );

    test("HEAD gets the status and headers of GET", async () => {
      for (const path of [
        `/offer/${extractId(await create())}`,
        "/offer/unknown",
        "/offer/x?api-version=7",
        "/nowhere",
      ]) {
        const [get, head] = [await call("GET", path), await call("HEAD", path)];
        expect([head.status, head.text]).toEqual([get.status, ""]);
        for (const name of ["content-type", "content-length"])
          expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
    });
  });

  // platform-under-test.ts checks the request id and Cache-Control of every response.
  test("responses with any status forbid caching", async () => {
    const throwingClock = () => {
      throw new Error("the clock stopped");
    };
    const tooLarge = { body: "x".repeat(bodyLimitBytes + 1), headers: json };
    const id = extractId(await create());
    const completionPath = `/offer/${id}/complete?api-version=1.0`;
    const token = await platform.signInWorker("worker_amal");
    const createWithSameKey = (title: string) =>
      call("POST", "/offer", { json: { ...input, title }, headers: { "Idempotency-Key": "reused" } });
    const responses = [
      await call("GET", `/offer/${id}`),
      await platform.call("POST", `/worker-app/offers/${id}/apply`, { token }),
      await create({ title: "" }),
      await call("GET", `/offer/${id}`, { key: "wrong" }),
      await call("GET", "/offer/unknown"),
      await call("PATCH", "/offer"),
      await call("POST", completionPath, { json: ["worker_amal"] }),
      await call("POST", completionPath, { json: ["worker_amal"] }),
      await call("POST", "/offer", tooLarge),
      await call("POST", "/offer", { body: "{}" }),
      await createWithSameKey("one"),
      await createWithSameKey("other"),
    ];
    readClock = throwingClock;
    responses.push(await create());
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toEqual([200, 204, 400, 401, 404, 405, 204, 409, 413, 415, 201, 422, 500]);
    expect(responses.at(-1)?.text).not.toContain("clock");
    const failedCall = new OffersClient({ baseUrl: platform.address, apiKey: key, maxRetries: 0 }).createOffer(input);
    await expect(failedCall).rejects.toBeInstanceOf(ServerError);
  });

  test("the platform ignores a caller's X-Request-Id, and puts its own id in the response, the problem and the log [D-53]", async () => {
    const callerId = randomUUID();
    const response = await call("GET", "/offer/unknown", { headers: { "X-Request-Id": callerId } });
    const requestId = response.headers.get("x-request-id") ?? "";
    expect(requestId).not.toBe(callerId);
    expect(response.json()).toMatchObject({ instance: `urn:offers:request:${requestId}` });
    await eventually("the request is logged", () => platform.logLines.some((line) => line.includes(requestId)));
    expect(platform.logLines.join()).not.toContain(callerId);
  });

  describe("request bodies", () => {
    /** Returns a valid body of `length` bytes, padded with white space. */
    const bodyOfLength = (length: number) => Buffer.from(JSON.stringify(input).padEnd(length, " "));
    const send = (body: Uint8Array, headers: object = {}) =>
      call("POST", "/offer", { body, headers: { ...json, ...headers } });
    const sendInChunks = (body: Uint8Array) => {
      const headers = { ...json, "X-UE-Api-Subscription-Key": key };
      const init = { method: "POST", headers, body: new Blob([Buffer.from(body)]).stream(), duplex: "half" };
      return fetch(`${platform.address}/offer`, init);
    };

    test("a body is accepted at exactly the size limit and rejected one byte above it", async () => {
      for (const [length, status] of [
        [bodyLimitBytes, 201],
        [bodyLimitBytes + 1, 413],
      ] as const) {
        expect((await send(bodyOfLength(length))).status).toBe(status);
        expect((await sendInChunks(bodyOfLength(length))).status).toBe(status);
        // The limit counts decompressed bytes.
        expect((await send(gzipSync(bodyOfLength(length)), { "Content-Encoding": "gzip" })).status).toBe(status);
      }
    });

    test.each([
      ["application/json", 201],
      ["APPLICATION/JSON ; Charset=UTF-8", 201],
      ['application/json;charset="utf-8"', 201],
      ["application/json; profile=offers", 201],
      ["application/problem+json; charset=utf-8", 201],
      ["application/json; charset=iso-8859-1", 415],
      ["application/json; profile=offers; charset=utf-16", 415],
      ["application/jsonp", 415],
      ["text/json-not", 415],
      ["application", 415],
      ["multipart/form-data; boundary=x", 415],
    ])("a body declared as %s gets %i", async (type, status) =>
      expect((await send(bodyOfLength(200), { "Content-Type": type })).status).toBe(status),
    );
  });

  describe("event times", () => {
    const slot = (start: string, end: string) => ({ events: [{ start, end }] });

    test("today starts at midnight UTC, not in the platform's time zone", async () => {
      // In Berlin, this is already the next day.
      setClock("2099-05-01T23:59:59.999Z");
      expect((await create(slot("2099-05-01T00:00:00Z", "2099-05-01T00:00:01Z"))).status).toBe(201);
      const yesterday = await create(slot("2099-04-30T23:59:59.999Z", "2099-05-01T00:00:01Z"));
      expect(yesterday.json()).toMatchObject({
        status: 400,
        errors: { "events[0].start": ["Choose a start date of today or later (today is 2099-05-01 in UTC)."] },
      });
      setClock("2099-05-02T00:00:00.000Z");
      expect((await create(slot("2099-05-01T23:59:59.999Z", "2099-05-03T00:00:00Z"))).status).toBe(400);
      expect((await create(slot("2099-05-02T00:00:00.000Z", "2099-05-02T00:00:00.001Z"))).status).toBe(201);
    });

    test.each([
      ["loses an hour", "2099-03-29T00:30:00Z", "2099-03-29T01:30:00Z"],
      ["has an hour twice", "2099-10-25T00:30:00Z", "2099-10-25T01:30:00+00:00"],
    ])("an event on a day that %s is stored as sent, and historic once it has ended", async (_, start, end) => {
      // Berlin's offset changes within this hour, which proves that the time zone above is in effect.
      expect(new Date(start).getTimezoneOffset()).not.toBe(new Date(end).getTimezoneOffset());
      setClock("2099-01-01T00:00:00Z");
      const id = extractId(await create(slot(start, end)));
      const read = async () => (await call("GET", `/offer/${id}`)).json();
      setClock(new Date(Date.parse(end) - 1).toISOString());
      expect(await read()).toMatchObject({ events: [{ start, end }], isHistoric: false });
      setClock(end);
      expect(await read()).toMatchObject({ events: [{ start, end }], isHistoric: true });
    });

    test("an offer is not historic before the last digit of its end", async () => {
      setClock("2099-05-01T00:00:00Z");
      const id = extractId(await create(slot("2099-05-01T16:00:00.1231Z", "2099-05-01T16:00:00.1239Z")));
      const read = async () => (await call("GET", `/offer/${id}`)).json();
      setClock("2099-05-01T16:00:00.123Z");
      expect(await read()).toMatchObject({ isHistoric: false });
      setClock("2099-05-01T16:00:00.124Z");
      expect(await read()).toMatchObject({ isHistoric: true });
    });

    test("an event may be on 9999-12-31, but its dates may not have year 0 or five-digit years", async () => {
      setClock("9999-12-31T00:00:00Z");
      const [start, end] = ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999+00:00"];
      const id = extractId(await create(slot(start, end)));
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ events: [{ start, end }], isHistoric: false });
      for (const [eventStart, eventEnd] of [
        ["0000-01-01T00:00:00Z", end],
        [start, "0000-01-01T00:00:00Z"],
        [start, "10000-01-01T00:00:00Z"],
        [start, "+010000-01-01T00:00:00Z"],
      ] as const)
        expect((await create(slot(eventStart, eventEnd))).json()).toMatchObject({
          status: 400,
          code: "invalid_request",
        });
    });

    test("an event's offset is applied, and a time without an offset is rejected", async () => {
      const end = "2099-10-26T00:00:00Z";
      for (const start of ["2099-10-25T02:30:00", "2099-10-25T02:30"])
        expect((await create(slot(start, end))).json()).toMatchObject({
          errors: { "events[0].start": [expect.any(String)] },
        });
      // In Berlin, this hour is repeated.
      for (const [sent, start] of [
        ["2099-10-25T02:30:00+02:00", "2099-10-25T00:30:00Z"],
        ["2099-10-25T02:30:00+01:00", "2099-10-25T01:30:00Z"],
        ["2099-10-25T02:30:00-00:00", "2099-10-25T02:30:00Z"],
      ] as const)
        expect((await call("GET", `/offer/${extractId(await create(slot(sent, end)))}`)).json()).toMatchObject({
          events: [{ start, end }],
        });
    });
  });

  describe("notifyEmailAddress", () => {
    test.each([
      "émile@küche.example",
      "用户@例子.公司",
      '"emile"@xn--kche-0ra.example',
      `${"x".repeat(242)}@example.com`,
    ])("the notifyEmailAddress %s is accepted and receives the mail", async (notifyEmailAddress) => {
      expect((await create({ notifyEmailAddress })).status).toBe(201);
      const token = await platform.signInPerson("hana@harbour-hotels.example");
      const { mails } = (await platform.call("GET", "/portal/mailbox", { token })).json<{ mails: { to: string }[] }>();
      expect(mails.map(({ to }) => to)).toContain(notifyEmailAddress);
    });

    test.each([
      '"émile hart"@küche.example',
      '"émile@hart"@küche.example',
      "Émile Hart <émile@küche.example>",
      "émile@küche.example, ada@küche.example",
      "émile@küche.example\n",
      "émile\u00a0hart@küche.example",
      "émile\u0007@küche.example",
      "émile",
      "@küche.example",
      "émile@",
      "",
      `${"x".repeat(243)}@example.com`,
    ])("the notifyEmailAddress %j is rejected", async (notifyEmailAddress) =>
      expect((await create({ notifyEmailAddress })).json()).toMatchObject({
        status: 400,
        errors: { notifyEmailAddress: [expect.any(String)] },
      }),
    );
  });

  test("a worker named twice in a completion is notified once", async () => {
    const id = extractId(await create());
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token });
    const repeated = { json: ["worker_amal", "worker_amal"] };
    expect((await call("POST", `/offer/${id}/complete?api-version=1.0`, repeated)).status).toBe(204);
    const readOutcomeNotifications = async () =>
      (await platform.call("GET", "/worker-app/notifications", { token }))
        .json<{ notifications: { offerId: string; reason: string }[] }>()
        .notifications.filter(({ offerId, reason }) => offerId === id && reason !== "offer");
    await eventually("the worker is notified", async () => (await readOutcomeNotifications()).length > 0);
    expect(await readOutcomeNotifications()).toMatchObject([{ reason: "successful" }]);
  });
});
