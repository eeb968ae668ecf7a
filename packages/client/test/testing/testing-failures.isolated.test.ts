import { http } from "msw";
import { setupServer } from "msw/node";
import { expect, onTestFinished, test } from "vitest";
import { OffersClient } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";

/** The timeout of requests that hang. Other requests have the default timeout, because they may be slow on a busy machine. */
const shortTimeout = { timeoutMs: 50 };

const createFixture = (options: { maxRetries?: number } = {}) => {
  const service = createTestService();
  return { service, offers: new OffersClient({ ...service, maxRetries: 0, ...options }) };
};

test("only the next request fails", async () => {
  const { service, offers } = createFixture();
  const { id } = await offers.createOffer(input);
  service.failNext({ status: 429, retryAfterSeconds: 7 });
  await expect(offers.getOffer(id)).rejects.toMatchObject({ code: "rate_limited", status: 429, retryAfterMs: 7_000 });
  await expect(offers.getOffer(id)).resolves.toMatchObject({ id });
  expect(service.requests).toHaveLength(3);
});

test("several failures occur in the requested order, and a client that retries succeeds", async () => {
  const { service, offers } = createFixture({ maxRetries: 3 });
  const { id } = await offers.createOffer(input);
  service.failNext({ status: 503, retryAfterSeconds: 0 }, 2);
  service.failNext({ status: 500, retryAfterSeconds: 0 });
  const { attempts } = await offers.getOffer(id).withResponse();
  expect(attempts).toBe(4);
});

test("the injected response may be anything that a proxy could send", async () => {
  const { service, offers } = createFixture();
  service.failNext({ status: 200, headers: { "Content-Type": "text/html" }, body: "<h1>Sign in</h1>" });
  await expect(offers.getOffer("a")).rejects.toMatchObject({ code: "invalid_response", status: 200 });
  service.failNext({ status: 302, headers: { Location: "https://elsewhere.example/x" } });
  await expect(offers.getOffer("a")).rejects.toMatchObject({ code: "unexpected_redirect" });
});

test.each([
  [{ status: 500 }, "server_error", 0],
  ["connection-refused", "connect_failed", 0],
  ["connection-reset", "connection_lost", 0],
  ["response-lost", "connection_lost", 1],
  ["hang", "timeout", 0],
  ["hang-in-body", "timeout", 1],
] as const)(
  "with the failure %j, a creation fails with %s and takes effect %i times",
  async (failure, code, effectCount) => {
    const { service, offers } = createFixture();
    service.failNext(failure);
    const call = offers.createOffer({ ...input, workerIds: ["worker_amal"] }, code === "timeout" ? shortTimeout : {});
    await expect(call).rejects.toMatchObject({ code });
    expect(service.notifications).toHaveLength(effectCount);
    expect(service.requests).toHaveLength(1);
  },
);

test("a creation is retried after a refused connection, and after a lost response only if the service honours its key", async () => {
  const { service, offers } = createFixture({ maxRetries: 1 });
  service.failNext("connection-refused");
  await offers.createOffer({ ...input, workerIds: ["worker_amal"] });
  service.failNext("response-lost");
  const trustingClient = new OffersClient({ ...service, serviceHonoursIdempotencyKey: true });
  const { response } = await trustingClient.createOffer({ ...input, workerIds: ["worker_ben"] }).withResponse();
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  expect(service.notifications.map(({ workerId }) => workerId)).toEqual(["worker_amal", "worker_ben"]);
});

test.each(["hang", "hang-in-body"] as const)(
  "aborting ends the failure %s with the caller's reason",
  async (failure) => {
    const { service, offers } = createFixture();
    const controller = new AbortController();
    service.failNext(failure);
    const call = offers.getOffer("a", { signal: controller.signal });
    await expect.poll(() => service.requests.length).toBe(1);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(call).rejects.toMatchObject({ code: "aborted", cause: reason });
  },
);

test("an aborted fetch rejects with the signal's reason and has no effect", async () => {
  const { service } = createFixture();
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await expect(service.fetch(`${service.baseUrl}/offer/a`, { signal })).rejects.toBe(reason);
  service.failNext("hang-in-body");
  const controller = new AbortController();
  const response = await service.fetch(`${service.baseUrl}/offer/a`, { signal: controller.signal });
  controller.abort(reason);
  await expect(response.text()).rejects.toBe(reason);
});

test("with msw, a failure without a response is a lost connection, and a hang lasts until the abort", async () => {
  const service = createTestService();
  const server = setupServer(...service.handlers(http));
  server.listen({ onUnhandledFrame: "error" });
  onTestFinished(() => server.close());
  const { baseUrl, apiKey } = service;
  const offers = new OffersClient({ baseUrl, apiKey, maxRetries: 0 });
  for (const failure of ["connection-refused", "connection-reset", "response-lost"] as const) {
    service.failNext(failure);
    await expect(offers.getOffer("a")).rejects.toMatchObject({ code: "connection_lost" });
  }
  for (const failure of ["hang", "hang-in-body"] as const) {
    service.failNext(failure);
    await expect(offers.getOffer("a", shortTimeout)).rejects.toMatchObject({ code: "timeout" });
  }
  service.failNext({ status: 503, retryAfterSeconds: 9 });
  await expect(offers.getOffer("a")).rejects.toMatchObject({ status: 503, retryAfterMs: 9_000 });
  await expect(offers.getOffer("a")).rejects.toMatchObject({ code: "not_found" });
});

test.each<[unknown, number, RegExp]>([
  [
    "explode",
    1,
    /unknown failure "explode"; .*connection-refused, connection-reset, response-lost, hang, hang-in-body/,
  ],
  ["Hang", 1, /unknown failure "Hang"/],
  ["toString", 1, /unknown failure "toString"/],
  [503, 1, /503 is not a failure; use \{ status: 503 \}/],
  [undefined, 1, /undefined is not a failure/],
  [null, 1, /null is not a failure/],
  [{}, 1, /status must be an integer from 200 to 599, not undefined/],
  [{ status: "503" }, 1, /status must be/],
  [{ status: 99 }, 1, /status must be/],
  [{ status: 503, retryAfter: 1 }, 1, /unknown property "retryAfter"; .*retryAfterSeconds/],
  [{ status: 503, retryAfterSeconds: -1 }, 1, /retryAfterSeconds must be/],
  ["connection-refused", 0, /times must be/],
  ["connection-refused", 1.5, /times must be/],
  ["connection-refused", Number.NaN, /times must be/],
])("failNext rejects the failure %j, %d times, and the next request succeeds", async (failure, times, message) => {
  const { service, offers } = createFixture();
  expect(() => service.failNext(failure as never, times)).toThrow(message);
  expect(() => service.failNext(failure as never, times)).toThrow(TypeError);
  await expect(offers.createOffer(input)).resolves.toHaveProperty("id");
});

test("an unknown dialect and an unknown response are rejected", async () => {
  expect(() => createTestService({ dialect: "lively" as never })).toThrow(
    /unknown dialect "lively"; use reference or live/,
  );
  const { service, offers } = createFixture();
  const { id } = await offers.createOffer(input);
  expect(() => service.respond(id, "worker_amal", "maybe" as never)).toThrow(
    /unknown response "maybe"; use applied or rejected/,
  );
});
