import { expect, test } from "vitest";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { Fetch } from "../http/fetch.ts";
import type { OffersRequest } from "../http/offers-request.ts";
import { completeOffer } from "../operations/complete-offer.ts";
import { getOffer } from "../operations/get-offer.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import type { OffersClientOptions } from "../options/options.ts";
import { createTransport } from "./create-transport.ts";

const options: OffersClientOptions = { baseUrl: "https://service.example", apiKey: "key", maxRetries: 0 };
const broken: Fetch = () => Promise.reject(new TypeError("fetch failed"));
const errorOf = (work: Promise<unknown>): Promise<AnyOffersError> =>
  work.then(
    () => expect.unreachable(),
    (error) => error,
  );

type Perform = (transport: ReturnType<typeof createTransport>) => Promise<unknown>;

async function requestOf(perform: Perform) {
  let sent: OffersRequest | undefined;
  const fetch: Fetch = async (_url, init) => {
    sent = init;
    return new Response(null, { status: 204 });
  };
  await perform(createTransport({ ...options, fetch }));
  return sent ?? expect.unreachable();
}

test("a request without a body has none of a body's headers, and no idempotency key", async () => {
  const { body, headers } = await requestOf((transport) => transport(withdrawOffer, "a", undefined));
  expect(body).toBeNull();
  expect(Object.keys(headers).sort()).toEqual(["accept", "user-agent", "x-ue-api-subscription-key"]);
});

test("a request with a body says what it is, and has an idempotency key", async () => {
  const { body, headers } = await requestOf((transport) => transport(completeOffer, "a", ["w"]));
  expect(body).toBe('["w"]');
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "idempotency-key": expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

const performances: [string, Perform][] = [
  ["CompleteOffer", (transport) => transport(completeOffer, "a", ["w"])],
  ["WithdrawOffer", (transport) => transport(withdrawOffer, "a", undefined)],
  ["GetOffer", (transport) => transport(getOffer, "a", undefined)],
];

test.each(performances)("an error of %s names it", async (name, perform) =>
  expect((await errorOf(perform(createTransport({ ...options, fetch: broken })))).operation).toBe(name),
);

test.each([
  [{ idempotencyKey: "" }, "idempotencyKey is empty"],
  [{ headers: { "x team": "a" } }, "headers must be the name of a header"],
  [{ headers: { "x-team": "" } }, "x-team is empty"],
])("the refusal of %o names %s", async (call, named) => {
  const { message } = await errorOf(createTransport(options)(completeOffer, "a", [], call));
  expect(message).toContain(`CompleteOffer: ${named}`);
});

test("the refusal of a key names apiKey", () =>
  expect(() => createTransport({ ...options, apiKey: "" })).toThrow(/^apiKey is empty/));

test("the refusal of an id names what an id must not be", async () =>
  expect((await errorOf(createTransport(options)(getOffer, "..", undefined))).message).toMatch(
    /"\.\."; give the offer's id/,
  ));

test("a key that cannot be had says so, with what was thrown", async () => {
  const apiKey = () => Promise.reject(new Error("vault is sealed"));
  const { message } = await errorOf(createTransport({ ...options, apiKey })(getOffer, "a", undefined));
  expect(message).toMatch(/^GetOffer at service\.example: the apiKey function failed.*\(Error: vault is sealed\)$/);
});

test("middleware meets a failure of fetch as the error that the call would reject with", async () => {
  let met: unknown;
  const curious: OffersClientOptions["middleware"] = [
    (request, next) =>
      next(request).catch((error) => {
        met = error;
        throw error;
      }),
  ];
  const transport = createTransport({ ...options, fetch: broken, middleware: curious });
  const error = await errorOf(transport(getOffer, "a", undefined));
  expect(error).toMatchObject({ name: "ConnectionError", code: "connection_lost" });
  expect(met).toBe(error);
});
