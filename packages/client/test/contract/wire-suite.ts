import { describe, expect, test } from "vitest";
import { expectations, input } from "./expectations.ts";
import { type ContractFixture, keys } from "./fixture.ts";
import { createWireClient, jsonHeaders, parseProblem, type WireResponse } from "./wire-client.ts";

const version = "?api-version=1.0";
const [slot = { start: "", end: "" }] = input.events;

/** Tests the HTTP messages, without a client. */
export function describeMessages(getFixture: () => ContractFixture): void {
  const getExpectations = () => expectations[getFixture().dialect];
  const { call, post } = createWireClient(getFixture);
  const createOffer = async (
    changes: object = {},
    headers?: Record<string, string>,
  ): Promise<[string, WireResponse]> => {
    const response = await post(`/offer${version}`, { ...input, ...changes }, headers);
    expect(response.status).toBe(getExpectations().created);
    return [getFixture().dialect === "live" ? response.text : JSON.parse(response.text).id, response];
  };
  const createAndReadStart = async (changes: object): Promise<unknown> => {
    const [id] = await createOffer(changes);
    return JSON.parse((await call("GET", `/offer/${id}${version}`)).text).events[0].start;
  };
  const sendAndReadRejectedFields = async (body: unknown) => {
    const response = await post(`/offer${version}`, body);
    const { code, errors } = parseProblem(response);
    expect({ status: response.status, code }).toEqual({ status: 400, code: "invalid_request" });
    for (const messages of Object.values(errors)) expect(messages).toEqual([expect.any(String)]);
    return Object.keys(errors).sort();
  };

  test("each operation responds with the status, the headers and the body of its dialect", async () => {
    const [id, creation] = await createOffer();
    if (getFixture().dialect === "live") expect(creation.headers.get("content-type")).toMatch(/^text\/plain/);
    else expect([creation.headers.get("location"), JSON.parse(creation.text)]).toEqual([`/offer/${id}`, { id }]);
    const read = await call("GET", `/offer/${id}${version}`);
    expect([read.status, JSON.parse(read.text).id]).toEqual([200, id]);
    expect(read.headers.get("content-type")).toMatch(/^application\/json/);
    await getFixture().respond(id, "worker_amal", "applied");
    const completion = await post(`/offer/${id}/complete${version}`, ["worker_amal"]);
    expect([completion.status, completion.text]).toEqual([204, ""]);
    const withdrawal = await call("GET", `/offer/${id}/withdraw${version}`);
    expect([withdrawal.status, withdrawal.text]).toEqual([getExpectations().withdrawn, ""]);
  });

  test("every response has its own id and must not be stored", async () => {
    const ids = new Set<string | null>();
    for (const response of [
      (await createOffer())[1],
      await call("GET", `/offer/unknown${version}`),
      await call("DELETE", "/offer"),
      await call("GET", "/nothing", { headers: { "x-request-id": "mine" } }),
    ]) {
      expect(response.headers.get("cache-control")).toBe("no-store");
      ids.add(response.headers.get("x-request-id"));
    }
    expect(ids.size).toBe(4);
    expect([...ids]).toEqual(Array(4).fill(expect.stringMatching(/^[\da-f-]{36}$/)));
  });

  test("a rejection is problem details with a stable code", async () => {
    const response = await post(`/offer${version}`, { ...input, title: "", titel: "x" });
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    const remedy = [expect.any(String)];
    expect(parseProblem(response)).toEqual({
      type: "https://github.com/offers/offers/blob/main/docs/errors.md#invalid_request",
      title: "The request is not valid",
      status: 400,
      detail: "2 fields are not valid; see errors.",
      instance: `urn:offers:request:${response.headers.get("x-request-id")}`,
      code: "invalid_request",
      errors: { title: remedy, titel: remedy },
    });
  });

  test.each([
    ["missing", ""],
    ["invalid", "demo-key-harbou"],
    ["sent twice", `${keys.harbour}, ${keys.harbour}`],
  ])("a key that is %s is rejected before any other check", async (_, key) => {
    for (const [method, path] of [
      ["POST", "/offer"],
      ["GET", "/offer/unknown"],
      ["POST", "/offer/unknown/complete"],
      ["GET", "/offer/unknown/withdraw"],
    ] as const) {
      const init = { headers: { "x-ue-api-subscription-key": key }, ...(method === "POST" && { body: "{" }) };
      const response = await call(method, path, init);
      expect([response.status, parseProblem(response).code]).toEqual([401, "invalid_api_key"]);
      expect(response.headers.get("www-authenticate")).toMatch(/^ApiKey/);
    }
  });

  test.each([
    "?api-version=1",
    "?api-version=2.0",
    "?api-version=",
    "?api-version=1.0&api-version=1.0",
    "?api-version[]=1.0",
    "?api-version[a]=2.0&api-version=1.0",
  ])("every operation rejects the version %s", async (query) => {
    for (const response of [
      await post(`/offer${query}`, input),
      await call("GET", `/offer/unknown${query}`),
      await post(`/offer/unknown/complete${query}`, ["worker_amal"]),
      await call("GET", `/offer/unknown/withdraw${query}`),
    ]) {
      expect([response.status, parseProblem(response).code]).toEqual([400, "unsupported_api_version"]);
      expect(Object.keys(parseProblem(response).errors)).toEqual(["api-version"]);
    }
  });

  test("a completion without a version is rejected, and the live service rejects every operation without a version", async () => {
    const [id] = await createOffer();
    const statuses = [
      (await post("/offer", input)).status,
      (await call("GET", `/offer/${id}`)).status,
      (await call("GET", `/offer/${id}/withdraw`)).status,
      (await post(`/offer/${id}/complete`, ["worker_amal"])).status,
    ];
    expect(statuses).toEqual(getExpectations().versionIsOptional ? [201, 200, 200, 400] : [400, 400, 400, 400]);
  });

  test.each([
    ["GET", "/offer", "POST"],
    ["OPTIONS", "/offer", "POST"],
    ["POST", "/offer/a", "GET, HEAD"],
    ["DELETE", "/offer/a", "GET, HEAD"],
    ["GET", "/offer/a/complete", "POST"],
    ["POST", "/offer/a/withdraw", "GET"],
    ["HEAD", "/offer/a/withdraw", "GET"],
  ])("the response to %s %s is a 405 that lists the allowed methods", async (method, path, allow) => {
    const response = await call(method, path);
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    if (method !== "HEAD") expect(parseProblem(response).code).toBe("method_not_allowed");
  });

  test("an id is decoded once, and rejected if it cannot be decoded", async () => {
    const [id] = await createOffer();
    const { status, text } = await call("GET", `/offer/${id.replace("_", "%5F")}${version}`);
    expect([status, JSON.parse(text).id]).toEqual([200, id]);
    const encodedTwice = await call("GET", `/offer/${id.replace("_", "%255F")}${version}`);
    expect(encodedTwice.status).toBe(getExpectations().absent.status);
    const malformedUrl = await call("GET", `/offer/%E0%A4%A${version}`);
    expect([malformedUrl.status, parseProblem(malformedUrl).code]).toEqual([400, "malformed_url"]);
  });

  test("the response to HEAD for an offer has no body", async () => {
    const [id] = await createOffer();
    expect(await call("HEAD", `/offer/${id}${version}`)).toMatchObject({ status: 200, text: "" });
  });

  test.each(["/nothing", "/offer/", "/Offer", "/offer/a/b", "/offer/a/complete/", "/Offers"])(
    "the path %s does not exist",
    async (path) => {
      const response = await call("GET", path);
      expect([response.status, parseProblem(response).code]).toEqual([404, "not_found"]);
    },
  );

  describe("bodies", () => {
    test.each([
      ["missing", {}, 400, "missing_body"],
      ["empty", { body: "", headers: jsonHeaders }, 400, "missing_body"],
      ["malformed", { body: '{"title":', headers: jsonHeaders }, 400, "malformed_json"],
      ["not UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]), headers: jsonHeaders }, 400, "malformed_json"],
      ["plain text", { body: "{}" }, 415, "unsupported_media_type"],
      ["without a media type", { body: new Uint8Array([0x7b, 0x7d]) }, 415, "unsupported_media_type"],
      ["in a different charset", createBodyInCharset("utf-16"), 415, "unsupported_media_type"],
      ["too large", { body: `"${"x".repeat(1_048_575)}"`, headers: jsonHeaders }, 413, "body_too_large"],
    ])("a body that is %s is rejected", async (_, init: RequestInit, status, code) => {
      for (const path of ["/offer", "/offer/unknown/complete"]) {
        const response = await call("POST", path + version, init);
        expect([response.status, parseProblem(response).code]).toEqual([status, code]);
      }
    });

    test.each(["application/json; charset=UTF-8", "application/vnd.offers+json", "Application/JSON"])(
      "a body may have the media type %s",
      async (type) => void (await createOffer({}, { "content-type": type })),
    );

    test.each([null, {}, "worker_amal", 7])(
      "the body %j of a completion is rejected, because it is not a list",
      async (body) => {
        const response = await post(`/offer/unknown/complete${version}`, body);
        expect([response.status, Object.keys(parseProblem(response).errors)]).toEqual([400, ["body"]]);
      },
    );
  });

  describe("creations", () => {
    test.each<[string, unknown, string[]]>([
      ["a list", [], ["body"]],
      ["null", null, ["body"]],
      ["nothing", {}, ["createdByUserId", "title", "workerIds"]],
      ["a blank title", { ...input, title: " \n " }, ["title"]],
      ["a title of 201 characters", { ...input, title: "x".repeat(201) }, ["title"]],
      ["a number as title", { ...input, title: 7 }, ["title"]],
      ["null as title", { ...input, title: null }, ["title"]],
      ["details of 10,001 characters", { ...input, details: "x".repeat(10_001) }, ["details"]],
      ["a place of 501 characters", { ...input, locationPlaceId: "x".repeat(501) }, ["locationPlaceId"]],
      ["an invalid email address", { ...input, notifyEmailAddress: "hana" }, ["notifyEmailAddress"]],
      [
        "a 255-character email address",
        { ...input, notifyEmailAddress: createEmailAddress(255) },
        ["notifyEmailAddress"],
      ],
      ["no worker", { ...input, workerIds: [] }, ["workerIds"]],
      ["a worker as a string", { ...input, workerIds: "worker_amal" }, ["workerIds"]],
      ["10,001 unknown workers", { ...input, workerIds: Array(10_001).fill("unknown_worker") }, ["workerIds"]],
      ["10,001 workers", { ...input, workerIds: Array(10_001).fill("worker_amal") }, ["workerIds"]],
      [
        "invalid workers",
        { ...input, workerIds: ["worker_amal", 7, "", "unknown_worker"] },
        ["workerIds[1]", "workerIds[2]", "workerIds[3]"],
      ],
      ["unknown fields", { ...input, titel: "x", workers: [] }, ["titel", "workers"]],
      ["events as an object", { ...input, events: {} }, ["events"]],
      ["367 events", { ...input, events: Array(367).fill(slot) }, ["events"]],
      ["an event as a string", { ...input, events: [slot, "soon"] }, ["events[1]"]],
      ["an empty event", { ...input, events: [{}] }, ["events[0].end", "events[0].start"]],
      ["an event with an unknown field", { ...input, events: [{ ...slot, note: "x" }] }, ["events[0].note"]],
      ["an end before the start", { ...input, events: [{ start: slot.end, end: slot.start }] }, ["events[0].end"]],
      ["an event without duration", { ...input, events: [{ start: slot.end, end: slot.end }] }, ["events[0].end"]],
      ["an event in the past", { ...input, events: [{ ...slot, start: "2020-01-01T00:00:00Z" }] }, ["events[0].start"]],
      ["U+0000", { ...input, title: "a\0b" }, ["title"]],
      ["a lone surrogate", { ...input, details: "\ud800" }, ["details"]],
    ])("a creation with %s is rejected, and the problem lists the invalid fields", async (_, body, fields) =>
      expect(await sendAndReadRejectedFields(body)).toEqual(fields),
    );

    test.each([
      "2099-05-01",
      "2099-05-01T16:00:00",
      "2099-05-01T16:00:00+0200",
      "2099-05-01T16:00:00,5Z",
      "2099-05-01T16:00:60Z",
      "2099-02-29T16:00:00Z",
      "2099-05-01T24:00:00Z",
      "soon",
      4_081_363_200_000,
    ])("a creation with an event that starts at %s is rejected", async (start) =>
      expect(await sendAndReadRejectedFields({ ...input, events: [{ start, end: "2099-12-31T00:00:00Z" }] })).toEqual([
        "events[0].start",
      ]),
    );

    test.each([
      ["2099-05-01T16:00Z", "2099-05-01T16:00:00Z"],
      ["2099-05-01t16:00:00z", "2099-05-01T16:00:00Z"],
      ["2099-05-01T18:00:00+02:00", "2099-05-01T16:00:00Z"],
      ["2099-05-01T16:00:00-00:00", "2099-05-01T16:00:00Z"],
    ])("an event may start at %s, which is stored as %s (D-96)", (start, stored) =>
      expect(createAndReadStart({ events: [{ start, end: "2099-12-31T00:00:00Z" }] })).resolves.toBe(stored),
    );

    test.each([
      ["2099-05-01T16:00:00.1231Z", "2099-05-01T16:00:00.1239Z"],
      ["2099-05-01T16:00:00.000000000000000001Z", "2099-05-01T18:00:00.000000000000000002+02:00"],
    ])("an event may start at %s and end at %s, because every digit counts (D-96)", async (start, end) => {
      await createOffer({ events: [{ start, end }] });
      const endsFirst = { ...input, events: [{ start: end, end: start }] };
      expect(await sendAndReadRejectedFields(endsFirst)).toEqual(["events[0].end"]);
    });

    test("a creation with null for every optional field is accepted as if the fields were absent (D-94)", async () => {
      const [id] = await createOffer({ details: null, locationPlaceId: null, notifyEmailAddress: null, events: null });
      const offer = JSON.parse((await call("GET", `/offer/${id}${version}`)).text);
      expect([offer.details, offer.locationPlaceId, offer.events]).toEqual(["", "", []]);
    });

    test.each(["2099-05-01T16:00:00+00:00", "2099-05-01T16:00:00.123456789Z", "2096-02-29T16:00:00Z"])(
      "an event may start at %s, which is stored unchanged",
      (start) => expect(createAndReadStart({ events: [{ start, end: "2099-12-31T00:00:00Z" }] })).resolves.toBe(start),
    );

    test("a creation may reach every limit", async () => {
      await createOffer({
        title: "x".repeat(200),
        details: "x".repeat(10_000),
        locationPlaceId: "x".repeat(500),
        notifyEmailAddress: createEmailAddress(254),
        workerIds: Array(10_000).fill("worker_amal"),
        events: Array(366).fill(slot),
      });
    });

    test("the problem for a creation with 366 invalid events lists only a hundred invalid fields", async () => {
      const body = { ...input, events: Array(366).fill({}) };
      expect(await sendAndReadRejectedFields(body)).toHaveLength(100);
    });
  });

  test("a replayed response has the header Idempotency-Replayed", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [id, response] = await createOffer({}, key);
    expect(response.headers.get("idempotency-replayed")).toBeNull();
    const [replayedId, replayedResponse] = await createOffer({}, key);
    expect(replayedId).toBe(id);
    expect(replayedResponse.headers.get("idempotency-replayed")).toBe("true");
  });

  test.each(["", "x".repeat(256), "a\tb"])("the idempotency key %j is invalid", async (key) => {
    const response = await post(`/offer${version}`, input, { "idempotency-key": key });
    expect([response.status, Object.keys(parseProblem(response).errors)]).toEqual([400, ["Idempotency-Key"]]);
  });
}

const createBodyInCharset = (charset: string) => ({
  body: "{}",
  headers: { "content-type": `application/json; charset=${charset}` },
});

const createEmailAddress = (length: number) => `${"x".repeat(length - 12)}@example.com`;
