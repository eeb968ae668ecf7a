import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../src/express.ts";
import type { ContactSuggestion } from "../src/index.ts";
import type { ReceiverOptions } from "../src/options.ts";
import { expresses, secret, serve, signed, signedJson } from "./serve.ts";

const accepted = { offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" };
const problemType = "application/problem+json";

describe.each(expresses)("Express $version", ({ express }) => {
  async function mount(options: Partial<ReceiverOptions<Express.Request>> = {}, path = "/hooks") {
    const app = express();
    app.use(path, webhookRouter({ secret, ...options } as ReceiverOptions));
    app.use((_request, response) => void response.status(418).end("the next middleware"));
    const { url } = await serve(app);
    return (where: string, init?: RequestInit) => fetch(`${url}${path}${where}`, init);
  }

  const post = (body: unknown, headers = signedJson()): RequestInit => ({
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

  test("/test is 200 whatever the headers", async () => {
    const request = await mount();
    for (const headers of [{}, signed(), { Authorization: "hmac nonsense", Timestamp: "never" }])
      expect((await request("/test", { headers })).status).toBe(200);
  });

  test("/test/auth is 200 only with valid headers", async () => {
    const request = await mount();
    expect((await request("/test/auth", { headers: signed() })).status).toBe(200);
    const refused = await request("/test/auth");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe("hmac");
    expect(refused.headers.get("content-type")).toBe(problemType);
    expect(refused.headers.get("cache-control")).toBe("no-store");
  });

  test("every failed check has the same answer, and its reason is told on this side only", async () => {
    const onRejected = vi.fn();
    const request = await mount({ onRejected });
    const { Timestamp = "", Authorization = "" } = signed();
    const old = signed();
    const attempts: [string, Record<string, string>][] = [
      ["missing_timestamp", {}],
      ["missing_timestamp", { Authorization }],
      ["missing_authorization", { Timestamp }],
      ["malformed_timestamp", { Timestamp: "yesterday", Authorization }],
      ["malformed_authorization", { Timestamp, Authorization: `${Authorization}00` }],
      ["no_matching_secret", { Timestamp, Authorization: `hmac ${"0".repeat(64)}` }],
      ["no_matching_secret", { Timestamp: Timestamp.replace("Z", "+00:00"), Authorization }],
      ["timestamp_out_of_tolerance", { ...old, Timestamp: "2018-11-26T10:55Z" }],
      ["timestamp_out_of_tolerance", { ...old, Timestamp: "2999-11-26T10:55Z" }],
    ];
    const answers = new Set<string>();
    for (const [, headers] of attempts) {
      const answer = await request("/test/auth", { headers });
      answers.add(`${answer.status} ${await answer.text()}`);
    }
    expect([...answers]).toEqual([expect.stringMatching(/^401 /)]);
    expect(onRejected.mock.calls.map(([rejection]) => rejection.reason)).toEqual(attempts.map(([reason]) => reason));
  });

  test("a handler's event arrives, and is acknowledged with 200 and no body", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const answer = await request(
      "/offer/response",
      post({ ...accepted, newer: [1] }, signedJson({ "offers-delivery-id": "d1" })),
    );
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(
      { ...accepted, newer: [1] },
      expect.objectContaining({
        unverifiedDeliveryId: "d1",
        verified: { scheme: "timestamp-digest", reading: "appended", secretIndex: 0, skewSeconds: expect.any(Number) },
        signal: expect.any(AbortSignal),
        receivedAt: expect.any(Date),
      }),
    );
  });

  test("the worker of a contact comes decoded from the path; a broken encoding is 400", async () => {
    const onWorkerAddedContact = vi.fn();
    const request = await mount({ onWorkerAddedContact });
    expect((await request("/contact/new/J%C3%BCrgen%2F7/", { headers: signed() })).status).toBe(200);
    expect(onWorkerAddedContact.mock.calls[0]?.[0]).toEqual({ workerId: "Jürgen/7" });
    const broken = await request("/contact/new/%E0%A4%A", { headers: signed() });
    expect([broken.status, broken.headers.get("content-type")]).toEqual([400, problemType]);
    expect(onWorkerAddedContact).toHaveBeenCalledTimes(1);
  });

  test("the live service's extras arrive", async () => {
    const onOfferEventDeleted = vi.fn();
    const onTimelineChanged = vi.fn();
    const request = await mount({ onOfferEventDeleted, onTimelineChanged });
    const deleted = { offerId: "o", workerId: "w", eventStart: "2099-05-01T16:00:00Z" };
    const changed = {
      workerId: "w",
      periodStart: "2099-05-01T00:00:00Z",
      periodEnd: "2099-05-08T00:00:00+02:00",
      completedAt: "2099-04-20T09:30:00Z",
      maxAvailableNow: 3.5,
    };
    expect((await request("/offer/eventDeleted", post(deleted))).status).toBe(200);
    expect((await request("/events/timelineChanged", post(changed))).status).toBe(200);
    expect([onOfferEventDeleted.mock.calls[0]?.[0], onTimelineChanged.mock.calls[0]?.[0]]).toEqual([deleted, changed]);
  });

  test("suggestions are checked, written with times, and keep their extra fields", async () => {
    const suggestContacts = vi.fn(async () => [
      {
        name: "Dana Kim",
        emailAddress: "dana@exämple.com",
        profileImageUrl: "https://images.example.com/dana.png",
        department: "kitchen",
        ratings: [
          { rating: 5, ratingProvider: "A", lastWorked: new Date("2025-11-30T17:00:00Z") },
          { rating: 1, ratingProvider: "B", lastWorked: "2025-11-30", shifts: 7 },
        ],
      },
    ]);
    const request = await mount({ suggestContacts });
    const search = { filter: "chef", userEmailAddresses: ["hana@harbour.example"] };
    const answer = await request("/contact-suggestions", post(search));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(suggestContacts).toHaveBeenCalledExactlyOnceWith(search, expect.anything());
    expect(await answer.json()).toEqual([
      {
        name: "Dana Kim",
        emailAddress: "dana@exämple.com",
        profileImageUrl: "https://images.example.com/dana.png",
        department: "kitchen",
        ratings: [
          { rating: 5, ratingProvider: "A", lastWorked: "2025-11-30T17:00:00.000Z" },
          { rating: 1, ratingProvider: "B", lastWorked: "2025-11-30T00:00:00Z", shifts: 7 },
        ],
      },
    ]);
  });

  const valid = { name: "N", emailAddress: "n@example.com", ratings: [] };
  test.each<[string, unknown, string]>([
    ["no list", { suggestions: [] }, "body"],
    ["nothing", undefined, "body"],
    ["no name", [{ ...valid, name: undefined }], "[0].name"],
    ["no address", [valid, { ...valid, emailAddress: "LEAK" }], "[1].emailAddress"],
    ["a script as image", [{ ...valid, profileImageUrl: "javascript:LEAK" }], "[0].profileImageUrl"],
    [
      "six stars",
      [{ ...valid, ratings: [{ rating: 6, ratingProvider: "LEAK", lastWorked: "2025-01-01" }] }],
      "[0].ratings[0].rating",
    ],
    [
      "half a star",
      [{ ...valid, ratings: [{ rating: 1.5, ratingProvider: "LEAK", lastWorked: "2025-01-01" }] }],
      "[0].ratings[0].rating",
    ],
    [
      "an invalid date",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: new Date("LEAK") }] }],
      "[0].ratings[0].lastWorked",
    ],
    [
      "a local time",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: "2025-01-01T10:00" }] }],
      "[0].ratings[0].lastWorked",
    ],
    [
      "the 30th of February",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: "2025-02-30" }] }],
      "[0].ratings[0].lastWorked",
    ],
  ])(
    "an invalid list of suggestions (%s) is a 500 that leaks nothing, and onError names the field",
    async (_, list, field) => {
      const onError = vi.fn();
      const request = await mount({ onError, suggestContacts: () => list as ContactSuggestion[] });
      const answer = await request("/contact-suggestions", post({ userEmailAddresses: [] }));
      expect([answer.status, answer.headers.get("content-type")]).toEqual([500, problemType]);
      expect(await answer.text()).not.toContain("LEAK");
      const [error] = onError.mock.calls[0] ?? [];
      expect(error).toMatchObject({ code: "invalid_answer", fields: { [field]: expect.any(Array) } });
      expect(JSON.stringify([error.message, error.fields])).not.toContain("LEAK");
    },
  );

  test.each<[string, unknown, Record<string, string[]>]>([
    ["/offer/response", [], { body: [expect.any(String) as string] }],
    ["/offer/response", { ...accepted, offerId: "" }, { offerId: [expect.any(String) as string] }],
    ["/offer/response", { ...accepted, workerId: 7 }, { workerId: [expect.any(String) as string] }],
    ["/offer/response", { ...accepted, response: "applied" }, { response: ["Must be one of: accepted, rejected."] }],
    ["/contact-suggestions", {}, { userEmailAddresses: [expect.any(String) as string] }],
    [
      "/contact-suggestions",
      { userEmailAddresses: ["a@b", "PRIVATE"] },
      { "userEmailAddresses[1]": [expect.any(String) as string] },
    ],
    [
      "/contact-suggestions",
      { userEmailAddresses: [], filter: { $ne: "PRIVATE" } },
      { filter: [expect.any(String) as string] },
    ],
  ])(
    "an invalid payload for %s (%j) is 400 with errors per field and without its values",
    async (path, payload, errors) => {
      const onRejected = vi.fn();
      const handler = vi.fn(() => []);
      const request = await mount({ onRejected, onWorkerOfferResponse: handler, suggestContacts: handler });
      const answer = await request(path, post(payload));
      const text = await answer.text();
      expect([answer.status, JSON.parse(text).errors]).toEqual([400, errors]);
      expect(text + JSON.stringify(onRejected.mock.calls)).not.toContain("PRIVATE");
      expect(onRejected).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ reason: "invalid_payload", status: 400 }),
      );
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test("a known path without a handler is a 404 problem, an unknown one goes on", async () => {
    const request = await mount();
    for (const path of ["/offer/response", "/contact-suggestions", "/contact/new/1", "/offer/eventDeleted"]) {
      const answer = await request(path, { headers: signed() });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, problemType]);
    }
    for (const path of ["/", "/unknown", "/contact/new", "/contact/new/a/b", "/Test"])
      expect((await request(path, { headers: signed() })).status).toBe(418);
  });

  test("other methods are 405 and told which is allowed; HEAD asks only /test", async () => {
    const handler = vi.fn();
    const request = await mount({ onWorkerAddedContact: handler, onWorkerOfferResponse: handler });
    const ask = async (method: string, path: string) => {
      const { status, headers } = await request(path, { method, headers: signed() });
      return [status, headers.get("allow")];
    };
    expect(await ask("HEAD", "/test")).toEqual([200, null]);
    expect(await ask("POST", "/test")).toEqual([405, "GET, HEAD"]);
    expect(await ask("OPTIONS", "/test")).toEqual([405, "GET, HEAD"]);
    expect(await ask("HEAD", "/test/auth")).toEqual([405, "GET"]);
    expect(await ask("HEAD", "/contact/new/7")).toEqual([405, "GET"]);
    expect(await ask("DELETE", "/contact/new/7")).toEqual([405, "GET"]);
    expect(await ask("GET", "/offer/response")).toEqual([405, "POST"]);
    expect(await ask("OPTIONS", "/offer/response")).toEqual([405, "POST"]);
    expect(handler).not.toHaveBeenCalled();
  });

  test("works at the root, under a prefix of several parts, and for tenants named in the path", async () => {
    const onWorkerOfferResponse = vi.fn();
    const atRoot = await mount({ onWorkerOfferResponse }, "/");
    expect((await atRoot("offer/response", post(accepted))).status).toBe(200);
    const deep = await mount({ onWorkerOfferResponse }, "/some/prefix/");
    expect((await deep("/offer/response/", post(accepted))).status).toBe(200);

    const app = express();
    const tenants: Record<string, string> = { north: secret, south: "another-secret-of-theirs" };
    const seen: unknown[] = [];
    app.use(
      "/:tenant/hooks",
      webhookRouter({
        secret: async (request) => tenants[String(request.params.tenant)],
        onWorkerOfferResponse: (_, { request }) => seen.push(request.params.tenant),
      }),
    );
    const { url } = await serve(app);
    const statusOf = async (tenant: string) =>
      (await fetch(`${url}/${tenant}/hooks/offer/response`, post(accepted))).status;
    expect([await statusOf("north"), await statusOf("south"), await statusOf("east")]).toEqual([200, 401, 401]);
    expect(seen).toEqual(["north"]);
  });

  test("a secret function that throws or answers an unusable secret is 503, and nothing else", async () => {
    const cause = new Error("the vault is sealed");
    for (const [secretFunction, code] of [
      [() => Promise.reject(cause), "secret_lookup_failed"],
      [() => "", "secret_unusable"],
      [() => ["short"], "secret_unusable"],
      [() => null as unknown as string, "secret_unusable"],
    ] as const) {
      const onError = vi.fn();
      const request = await mount({ secret: secretFunction, onError });
      const answer = await request("/test/auth", { headers: signed() });
      expect([answer.status, await answer.text()]).toEqual([503, expect.not.stringContaining("vault")]);
      expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code }));
    }
  });

  test("the secret function is not asked about headers that are malformed or stale", async () => {
    const lookUp = vi.fn(() => secret);
    const request = await mount({ secret: lookUp });
    await request("/test/auth");
    await request("/test/auth", { headers: { ...signed(), Timestamp: "2018-11-26T10:55Z" } });
    expect(lookUp).not.toHaveBeenCalled();
  });

  test("both secrets are good while one replaces the other, and the one in use is told", async () => {
    const onVerified = vi.fn();
    const request = await mount({ secret: ["a-new-secret-of-some-length", secret], onVerified });
    expect((await request("/test/auth", { headers: signed() })).status).toBe(200);
    expect(onVerified).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ secretIndex: 1, reading: "appended" }),
    );
  });

  test("a handler that throws is a 500 without its words; onError gets them as the cause", async () => {
    const onError = vi.fn();
    const cause = new Error("PRIVATE words");
    const request = await mount({ onError, onWorkerOfferResponse: () => Promise.reject(cause) });
    const answer = await request("/offer/response", post(accepted));
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("PRIVATE")]);
    const [error] = onError.mock.calls[0] ?? [];
    expect(error).toMatchObject({ code: "handler_failed", cause, message: expect.not.stringContaining("PRIVATE") });
  });

  test("a clock that throws is a 500 that blames no handler", async () => {
    const cause = new Error("PRIVATE words");
    const now = () => {
      throw cause;
    };
    const onError = vi.fn();
    const request = await mount({ now, onError });
    const answer = await request("/test/auth", { headers: signed() });
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("PRIVATE")]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "internal_error", cause }));
  });

  test("a handler that takes too long is a 503, and its signal aborts", async () => {
    let aborted: Promise<unknown> | undefined;
    const request = await mount({
      handlerTimeoutMs: 30,
      onWorkerOfferResponse: (_, { signal }) => {
        aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
        return new Promise(() => undefined);
      },
    });
    expect((await request("/offer/response", post(accepted))).status).toBe(503);
    expect(await aborted).toMatchObject({ name: "TimeoutError" });
  });

  test("verifyWebhook guards a route of your own and leaves its body to your parser", async () => {
    const app = express();
    const onRejected = vi.fn();
    app.post("/own", verifyWebhook({ secret, onRejected }), express.json(), (request, response) => {
      response.json([request.webhook?.verified.reading, request.webhook?.unverifiedDeliveryId, request.body]);
    });
    const { url } = await serve(app);
    const answer = await fetch(`${url}/own`, post({ any: "payload" }, signedJson({ "offers-delivery-id": "d2" })));
    expect(await answer.json()).toEqual(["appended", "d2", { any: "payload" }]);
    const refused = await fetch(`${url}/own`, post({ any: "payload" }, { "content-type": "application/json" }));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "hmac"]);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "missing_timestamp" }));
  });
});
