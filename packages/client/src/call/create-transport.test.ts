import { expect, test } from "vitest";
import { offer } from "../../test/support/offer.ts";
import type { FetchResponse } from "../http/fetch-response.ts";
import { createOffer } from "../operations/create-offer.ts";
import { getOffer } from "../operations/get-offer.ts";
import type { OffersClientOptions } from "../options/options.ts";
import type { Clock } from "../request/clock.ts";
import { createTransport } from "./create-transport.ts";

/** A clock that only a wait moves on. */
function stillClock() {
  const waits: number[] = [];
  let now = 1_000_000;
  const clock: Clock = {
    now: () => now,
    random: () => 0.5,
    sleep: async (delayMs) => {
      waits.push(delayMs);
      now += delayMs;
    },
  };
  return { clock, waits };
}

const responseWith = (status: number, headers: Record<string, string> = {}): FetchResponse =>
  new Response(status === 200 ? JSON.stringify(offer) : null, { status, headers });

function transportOf(responses: FetchResponse[], options: Partial<OffersClientOptions> = {}) {
  const { clock, waits } = stillClock();
  const fetch = async () => responses.shift() ?? expect.unreachable();
  return {
    transport: createTransport({ baseUrl: "https://service.example", apiKey: "key", fetch, ...options }, clock),
    waits,
  };
}

test("waits grow, jittered, and end with maxRetries", async () => {
  const { transport, waits } = transportOf(
    [503, 500, 502, 504].map((status) => responseWith(status)),
    { maxRetries: 3 },
  );
  await expect(transport(getOffer, "a", undefined)).rejects.toMatchObject({ status: 504, attempts: 4 });
  expect(waits).toEqual([375, 750, 1_500]);
});

test("a wait ends before the total does, or is not begun", async () => {
  const unavailable = () => responseWith(503, { "retry-after": "20" });
  const responses = [unavailable(), unavailable(), unavailable()];
  const { transport, waits } = transportOf(responses, { totalTimeoutMs: 40_000, maxRetries: 9 });
  await expect(transport(getOffer, "a", undefined)).rejects.toMatchObject({ status: 503, attempts: 2 });
  expect(waits).toEqual([20_000]);
});

test("a refreshed key is no retry: all retries are left after it", async () => {
  const { transport, waits } = transportOf([responseWith(401), responseWith(503), responseWith(200)], {
    apiKey: ({ refresh }) => (refresh ? "fresh" : "stale"),
    maxRetries: 1,
  });
  await expect(transport(getOffer, "a", undefined)).resolves.toMatchObject({ data: offer });
  expect(waits).toEqual([0, 375]);
});

test("a creation whose connection broke on reading is one request, whatever the code", async () => {
  const cause = Object.assign(new Error("read EHOSTUNREACH"), { code: "EHOSTUNREACH", syscall: "read" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const { transport, waits } = transportOf([], { fetch });
  const input = { createdByUserId: "u", title: "t", workerIds: ["w"] };
  const call = transport(createOffer, undefined, input);
  await expect(call).rejects.toMatchObject({ code: "connection_lost", attempts: 1 });
  expect(waits).toEqual([]);
});

test("the line of a failed attempt is written even when no other key can be had", async () => {
  const lines: unknown[] = [];
  const { transport } = transportOf([responseWith(401)], {
    apiKey: ({ refresh }) => (refresh ? Promise.reject(new Error("vault is sealed")) : "stale"),
    logger: { debug: () => expect.unreachable(), warn: (fields) => void lines.push(fields) },
  });
  await expect(transport(getOffer, "a", undefined)).rejects.toMatchObject({
    code: "api_key_provider_failed",
    attempts: 1,
  });
  expect(lines).toEqual([
    { operation: "GetOffer", attempt: 1, durationMs: 0, status: 401, code: "unauthenticated", retryDelayMs: undefined },
  ]);
});
