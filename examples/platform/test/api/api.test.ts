import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, type CallOptions, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";

const key = "demo-key-harbour";
// The platform's clock stands still: no test runs over midnight.
const now = new Date();
const today = now.toISOString().slice(0, 10);
const events = [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00.250+00:00" }];
const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service.",
  locationPlaceId: "place_harbour_kitchen",
  notifyEmailAddress: "hana@harbour-hotels.example",
  workerIds: ["worker_cleo", "worker_amal", "worker_ben", "worker_amal"],
  events,
};

describe.each(await anyStore())("the offers API on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    place = await createPlace();
    platform = await open();
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });

  const open = () => openPlatform(place, {}, () => now);
  const call = (method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, path, { key, ...options });
  const post = (path: string, json: unknown) => call("POST", path, { json });
  const create = async (changes: object = {}): Promise<string> => {
    const response = await post("/offer", { ...input, ...changes });
    expect(response.status).toBe(201);
    return response.json<{ id: string }>().id;
  };
  const act = async (workerId: string, offerId: string, action: string): Promise<Answer> => {
    const token = await platform.signInWorker(workerId);
    return platform.call("POST", `/worker-app/offers/${offerId}/${action}`, { token });
  };
  const complete = (id: string, workerIds: unknown) => post(`/offer/${id}/complete?api-version=1.0`, workerIds);
  const told = async (workerId: string, offerId: string) => {
    const token = await platform.signInWorker(workerId);
    const menu = await platform.call("GET", "/worker-app/notifications", { token });
    return (
      menu
        .json<{ notifications: { offerId: string; reason: string }[] }>()
        .notifications.filter((entry) => entry.offerId === offerId)
        .map((entry) => entry.reason)
        // The newest comes first.
        .toReversed()
    );
  };

  describe("an offer", () => {
    test("is created, and read as it came in", async () => {
      const created = await post("/offer", input);
      const { id } = created.json<{ id: string }>();
      expect(created).toMatchObject({ status: 201 });
      expect(created.headers.get("location")).toBe(`/offer/${id}`);

      const read = await call("GET", `/offer/${id}`);
      const recipient = { id: expect.any(Number), response: "none", confirmation: "" };
      expect(read.json()).toEqual({
        id,
        title: input.title,
        details: input.details,
        isHistoric: false,
        widthdrawn: false,
        complete: false,
        locationPlaceId: input.locationPlaceId,
        createdAt: expect.any(String),
        events,
        recipients: [
          { ...recipient, workerId: "worker_cleo", name: "Cleo Martin" },
          { ...recipient, workerId: "worker_amal", name: "Amal Haddad" },
          { ...recipient, workerId: "worker_ben", name: "Ben Okafor" },
        ],
      });
    });

    test("needs no more than a creator, a title and a worker", async () => {
      const id = await create({
        details: undefined,
        locationPlaceId: undefined,
        notifyEmailAddress: undefined,
        events: undefined,
      });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({
        details: "",
        locationPlaceId: "",
        events: [],
        isHistoric: false,
      });
    });

    test("carries each worker's current response and, once complete, the confirmation", async () => {
      const id = await create();
      expect((await act("worker_amal", id, "apply")).status).toBe(204);
      expect((await act("worker_ben", id, "apply")).status).toBe(204);
      expect((await act("worker_ben", id, "reject")).status).toBe(204);
      expect((await complete(id, ["worker_amal"])).status).toBe(204);
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({
        complete: true,
        widthdrawn: false,
        recipients: [
          { workerId: "worker_cleo", response: "none", confirmation: "" },
          { workerId: "worker_amal", response: "applied", confirmation: "confirmed" },
          { workerId: "worker_ben", response: "rejected", confirmation: "" },
        ],
      });
      await eventually("all three are told", async () => (await told("worker_cleo", id)).length === 2);
      expect(await told("worker_amal", id)).toEqual(["offer", "successful"]);
      expect(await told("worker_ben", id)).toEqual(["offer", "unsuccessful"]);
      expect(await told("worker_cleo", id)).toEqual(["offer", "unsuccessful"]);
    });

    test("is withdrawn in any state, and its workers are notified once", async () => {
      const id = await create({ workerIds: ["worker_dana"] });
      await act("worker_dana", id, "apply");
      await complete(id, ["worker_dana"]);
      for (const _ of [1, 2, 3])
        expect(await call("GET", `/offer/${id}/withdraw`)).toMatchObject({ status: 200, text: "" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ complete: true, widthdrawn: true });
      await eventually("the withdrawal is told", async () => (await told("worker_dana", id)).length === 3);
      // The menu would show a thing once however often it was told.
      await platform.close();
      const store = await openStore({ ...place.options, onError: () => undefined });
      const sent = await store.db
        .selectFrom("notifications")
        .select(["device_id", "reason"])
        .where("offer_id", "=", id)
        .orderBy("id")
        .execute();
      await store.close();
      platform = await open();
      const device = { device_id: "worker_dana_device_1" };
      expect(sent).toEqual(["offer", "successful", "withdrawn"].map((reason) => ({ ...device, reason })));
    });

    test("may have ended today", async () => {
      const id = await create({ events: [{ start: `${today}T00:00:00Z`, end: `${today}T00:00:00.001Z` }] });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ isHistoric: true });
    });

    test("keeps text that is neither English nor harmless", async () => {
      const title = `Küche 厨房 👩‍🍳 '; drop table offers; -- <b>`;
      const id = await create({ title, notifyEmailAddress: "φίλη@παράδειγμα.ελ" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ title });
    });
  });

  describe("the key", () => {
    test.each([
      ["missing", {}],
      ["wrong", { "X-UE-Api-Subscription-Key": "demo-key-harbou" }],
      ["empty", { "X-UE-Api-Subscription-Key": "" }],
      ["twice", { "X-UE-Api-Subscription-Key": "demo-key-harbour, demo-key-harbour" }],
      ["elsewhere", { Authorization: "Bearer demo-key-harbour" }],
    ])("%s is 401 on every operation, whatever the rest", async (_, headers) => {
      for (const [method, path] of [
        ["POST", "/offer"],
        ["GET", "/offer/unknown"],
        ["POST", "/offer/unknown/complete"],
        ["GET", "/offer/unknown/withdraw"],
      ] as const) {
        const response = await platform.call(method, path, { headers, ...(method === "POST" && { body: "{" }) });
        expect(response).toMatchObject({ status: 401 });
        expect(response.json()).toMatchObject({ code: "invalid_api_key" });
      }
    });

    test("is in no log line", () => expect(platform.logLines.join()).not.toContain(key));
  });

  describe("another organisation's offer", () => {
    test("is not found, alike for unknown ids", async () => {
      const id = await create();
      const problems = [];
      for (const path of [`/offer/${id}`, "/offer/unknown", "/offer/%00", `/offer/${"x".repeat(4_000)}`]) {
        const other = "demo-key-bistro";
        problems.push((await platform.call("GET", path, { key: other })).json());
        problems.push((await platform.call("GET", `${path}/withdraw`, { key: other })).json());
        const completion = { key: other, json: ["worker_amal"] };
        problems.push((await platform.call("POST", `${path}/complete?api-version=1.0`, completion)).json());
      }
      for (const problem of problems) expect(problem).toEqual({ ...Object(problems[0]), instance: expect.any(String) });
      expect(problems[0]).toMatchObject({ status: 404, code: "offer_not_found" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ widthdrawn: false });
    });
  });

  describe("api-version", () => {
    test.each([
      "?api-version=1",
      "?api-version=2.0",
      "?api-version=",
      "?api-version=1.0&api-version=1.0",
      "?api-version[]=1.0",
      "?api-version[a]=2.0&api-version=1.0",
    ])("%s is 400 everywhere", async (query) => {
      const id = await create();
      for (const response of [
        await post(`/offer${query}`, input),
        await call("GET", `/offer/${id}${query}`),
        await post(`/offer/${id}/complete${query}`, ["worker_amal"]),
        await call("GET", `/offer/${id}/withdraw${query}`),
      ]) {
        expect(response.status).toBe(400);
        expect(response.json()).toMatchObject({
          code: "unsupported_api_version",
          errors: { "api-version": [expect.any(String)] },
        });
      }
    });

    test("is required on complete only", async () => {
      const id = await create();
      expect((await post(`/offer/${id}/complete`, ["worker_amal"])).json()).toMatchObject({
        status: 400,
        code: "unsupported_api_version",
      });
      expect((await call("GET", `/offer/${id}?api-version=1.0`)).status).toBe(200);
    });
  });

  describe("a body", () => {
    const json = { "Content-Type": "application/json" };

    test.each([
      ["malformed", { body: '{"title":', headers: json }, 400, "malformed_json"],
      ["not UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]), headers: json }, 400, "malformed_json"],
      ["missing", {}, 400, "missing_body"],
      ["text", { body: "{}", headers: { "Content-Type": "text/plain" } }, 415, "unsupported_media_type"],
      ["without a media type", { body: new Uint8Array([0x7b, 0x7d]) }, 415, "unsupported_media_type"],
      [
        "in another charset",
        { body: "{}", headers: { "Content-Type": "application/json; charset=utf-16" } },
        415,
        "unsupported_media_type",
      ],
      [
        "compressed by an unknown coding",
        { body: "{}", headers: { ...json, "Content-Encoding": "zstd9" } },
        415,
        "unsupported_media_type",
      ],
      [
        "not what its coding says",
        { body: "{}", headers: { ...json, "Content-Encoding": "gzip" } },
        400,
        "malformed_json",
      ],
      [
        "nested without end",
        { body: `{"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, headers: json },
        400,
        "invalid_request",
      ],
      ["too large", { body: `"${"x".repeat(64 * 1024)}"`, headers: json }, 413, "body_too_large"],
    ])("%s is refused", async (_, options, status, code) => {
      for (const path of ["/offer", "/offer/unknown/complete?api-version=1.0"]) {
        const response = await call("POST", path, options);
        expect(response.status).toBe(status);
        expect(response.json()).toMatchObject({ code, detail: expect.any(String) });
      }
    });

    test.each(["application/json; charset=UTF-8", "application/vnd.offers+json"])("may be %s", async (type) => {
      const response = await call("POST", "/offer", { body: JSON.stringify(input), headers: { "Content-Type": type } });
      expect(response.status).toBe(201);
    });
  });

  describe("a creation", () => {
    const slot = events[0];

    test.each([
      ["a list", [], { body: ["Make it an object."] }],
      ["null", null, { body: ["Make it an object."] }],
      ["nothing of it", {}, { createdByUserId: 1, title: 1, workerIds: 1 }],
      ["a number as title", { ...input, title: 7 }, { title: ["Make it a string."] }],
      ["an empty title", { ...input, title: "" }, { title: ["Write a title; do not leave it empty or blank."] }],
      ["a long title", { ...input, title: "x".repeat(201) }, { title: ["Give at most 200 characters."] }],
      ["no worker", { ...input, workerIds: [] }, { workerIds: ["Name at least one worker."] }],
      ["a worker as text", { ...input, workerIds: "worker_amal" }, { workerIds: ["Make it an array."] }],
      ["a number as worker", { ...input, workerIds: ["worker_amal", 7] }, { "workerIds[1]": ["Make it a string."] }],
      ["an unknown worker", { ...input, workerIds: ["worker_amal", "nobody"] }, { "workerIds[1]": 1 }],
      ["a creator of another organisation", { ...input, createdByUserId: "user_bo" }, { createdByUserId: 1 }],
      ["an unknown creator", { ...input, createdByUserId: "nobody" }, { createdByUserId: 1 }],
      ["an unknown field", { ...input, titel: "x" }, { titel: 1 }],
      ["an odd email address", { ...input, notifyEmailAddress: "hana" }, { notifyEmailAddress: 1 }],
      [
        "an event that ends before it starts",
        { ...input, events: [slot, { start: slot?.end, end: slot?.start }] },
        { "events[1].end": ["Choose an end after the start."] },
      ],
      [
        "an event that ends as it starts",
        { ...input, events: [{ start: slot?.start, end: slot?.start }] },
        { "events[0].end": 1 },
      ],
      [
        "an event before today",
        { ...input, events: [{ start: "2020-01-01T00:00:00Z", end: slot?.end }] },
        { "events[0].start": [`Choose a start of today (${today} in UTC) or later.`] },
      ],
      [
        "an event without end",
        { ...input, events: [{ start: slot?.start }] },
        { "events[0].end": ["Add this field; it is required."] },
      ],
      [
        "a date without zone",
        { ...input, events: [{ ...slot, start: "2099-05-01T16:00:00" }] },
        { "events[0].start": 1 },
      ],
      [
        "a date whose zone is no offset",
        { ...input, events: [{ ...slot, start: "2099-05-01T16:00:00 CEST" }] },
        { "events[0].start": 1 },
      ],
      [
        "an event with a field of its own",
        { ...input, events: [{ ...slot, note: "x" }] },
        { "events[0].note": ["Remove it, or correct its name: there is no such field."] },
      ],
      ["a blank title", { ...input, title: " \n " }, { title: ["Write a title; do not leave it empty or blank."] }],
      ["an event that is no object", { ...input, events: [null] }, { "events[0]": ["Make it an object."] }],
      ["a character the store cannot keep", { ...input, title: "a\0b", details: "\ud800" }, { title: 1, details: 1 }],
    ])("with %s is 400 and says where and why", async (_, body, errors) => {
      const response = await post("/offer", body);
      expect(response.status).toBe(400);
      const problem = response.json<{ errors: Record<string, string[]> }>();
      expect(problem).toMatchObject({ type: "urn:problem-type:offers:invalid_request", code: "invalid_request" });
      expect(Object.keys(problem.errors).sort()).toEqual(Object.keys(errors).sort());
      for (const [field, remedies] of Object.entries(errors)) {
        expect(problem.errors[field]).toHaveLength(1);
        if (Array.isArray(remedies)) expect(problem.errors[field]).toEqual(remedies);
      }
    });

    test("reports all errors at once", async () => {
      const response = await post("/offer", {
        title: 7,
        workerIds: ["nobody"],
        createdByUserId: "user_bo",
        events: [{ start: "2099-05-02T00:00:00Z", end: "2099-05-01T00:00:00Z" }, {}],
        extra: true,
      });
      const { errors, detail } = response.json<{ errors: object; detail: string }>();
      expect(Object.keys(errors).sort()).toEqual(
        [
          "title",
          "workerIds[0]",
          "createdByUserId",
          "events[0].end",
          "events[1].start",
          "events[1].end",
          "extra",
        ].sort(),
      );
      expect(detail).toBe("7 fields are not valid; see errors.");
    });
  });

  describe("a completion", () => {
    test("naming who has not applied is 400, with the index, and changes nothing", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      await act("worker_ben", id, "reject");
      const response = await complete(id, ["worker_amal", "worker_ben", "worker_dana"]);
      expect(response.json()).toMatchObject({
        status: 400,
        code: "worker_not_applied",
        errors: { "[1]": [expect.any(String)], "[2]": [expect.any(String)] },
      });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ complete: false });
    });

    test.each([
      [[], "body"],
      [{}, "body"],
      [[7], "[0]"],
      [[""], "[0]"],
    ])("with %j is 400", async (body, field) => {
      const response = await complete(await create(), body);
      expect(response.json()).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: { [field]: [expect.any(String)] },
      });
    });

    test("happens once, and not after a withdrawal; nor does a response", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      await complete(id, ["worker_amal"]);
      for (const response of [await complete(id, ["worker_amal"]), await act("worker_amal", id, "reject")])
        expect(response.json()).toMatchObject({ status: 409, code: "offer_completed" });
      await call("GET", `/offer/${id}/withdraw`);
      for (const response of [await complete(id, ["worker_amal"]), await act("worker_ben", id, "apply")])
        expect(response.json()).toMatchObject({ status: 409, code: "offer_withdrawn" });
      expect((await act("worker_ben", id, "open")).status).toBe(204);
    });

    test("of two at the same time succeeds once", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      const responses = await Promise.all([1, 2, 3, 4].map(() => complete(id, ["worker_amal"])));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
      await eventually("the outcome is told", async () => (await told("worker_amal", id)).length === 2);
    });
  });

  describe("the HTTP of it", () => {
    test.each([
      ["GET", "/offer", "POST"],
      ["DELETE", "/offer/x", "GET, HEAD"],
      ["POST", "/offer/x", "GET, HEAD"],
      ["GET", "/offer/x/complete", "POST"],
      ["POST", "/offer/x/withdraw", "GET"],
      ["HEAD", "/offer/x/withdraw", "GET"],
      ["OPTIONS", "/offer", "POST"],
    ])("%s %s is 405 and says what is allowed", async (method, path, allow) => {
      const response = await call(method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe(allow);
    });

    test("HEAD on withdraw withdraws nothing; HEAD on an offer reads it", async () => {
      const id = await create();
      await call("HEAD", `/offer/${id}/withdraw`);
      expect(await call("HEAD", `/offer/${id}`)).toMatchObject({ status: 200, text: "" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ widthdrawn: false });
    });

    test.each(["/Offer", "/offer/", "/offer/x/y", "/offer/x/withdraw/"])("%s is 404", async (path) =>
      expect((await call("GET", path)).json()).toMatchObject({ status: 404, code: "not_found" }),
    );

    test("a path that cannot be decoded is 400", async () =>
      expect((await call("GET", "/offer/%E0%A4%A")).json()).toMatchObject({ status: 400, code: "malformed_url" }));

    test("every response has an id, forbids caching, and reveals no server software", async () => {
      for (const response of [await call("GET", `/offer/${await create()}`), await call("GET", "/nowhere")]) {
        expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
        expect(response.headers.get("cache-control")).toBe("no-store");
        for (const name of ["etag", "x-powered-by"]) expect(response.headers.has(name)).toBe(false);
      }
      const { instance } = (await call("GET", "/nowhere")).json<{ instance: string }>();
      expect(instance).toMatch(/^urn:offers:request:[\w-]{36}$/);
    });

    test("a request is logged by its route, never by its path", async () => {
      const id = await create();
      await call("GET", `/offer/${id}`);
      const find = (line: string) => line.includes('"route":"/offer/:id"') && line.includes("http.response");
      await eventually("the line is written", () => platform.logLines.some(find));
      expect(JSON.parse(platform.logLines.find(find) ?? "")).toMatchObject({
        method: "GET",
        status: expect.any(Number),
      });
      expect(platform.logLines.join()).not.toContain(id);
    });
  });

  test("says that it is alive and ready", async () => {
    expect((await platform.call("GET", "/healthz")).status).toBe(200);
    expect((await platform.call("GET", "/readyz")).status).toBe(200);
  });
});
