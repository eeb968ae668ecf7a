import { inspect } from "node:util";
import type { offerSchema as generatedSchema } from "@offers/contract/offer-schemas";
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import samples from "../../../../spec/samples/live/offer-operations.json" with { type: "json" };
import { InvalidResponseError, type Offer, OffersClient, type Recipient } from "../../src/index.ts";
import { offerSchema, validateResponses } from "../../src/schemas.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
const [amal = expect.unreachable()] = offer.recipients;

async function createValidatingClient(...response: Parameters<typeof respondWith>) {
  const { baseUrl, received } = await serve(respondWith(...response));
  return { client: new OffersClient({ baseUrl, apiKey, middleware: [validateResponses()] }), received };
}

test.each<[string, object, string]>([
  ["a title of the wrong type", { title: 7_000_007 }, "title"],
  ["no flag", { widthdrawn: undefined }, "widthdrawn"],
  ["a flag that is a string", { complete: "SENTINEL" }, "complete"],
  ["a time without a time zone", { createdAt: "2099-04-20T09:30:00" }, "createdAt"],
  [
    "strings without a zone, or that are not times",
    { events: [{ start: "2099-05-01T18:00:00", end: "SENTINEL" }] },
    "events[0].start, events[0].end",
  ],
  ["a recipient's id as a string", { recipients: [amal, { ...amal, id: "SENTINEL" }] }, "recipients[1].id"],
  ["a response that is not a string", { recipients: [{ ...amal, response: ["SENTINEL"] }] }, "recipients[0].response"],
  ["empty ids", { id: "", recipients: [{ ...amal, workerId: "" }] }, "id, recipients[0].workerId"],
])(
  "the error for an offer with %s contains the path of the field, but not its value",
  async (_what, change, fields) => {
    const { client, received } = await createValidatingClient(200, JSON.stringify({ ...offer, ...change }), {
      "x-request-id": "req_1",
    });
    const error = await client.getOffer("a").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({
      code: "invalid_response",
      status: 200,
      operation: "GetOffer",
      attempts: 1,
      requestId: "req_1",
      message: expect.stringContaining(`200; these fields do not match the contract: ${fields}; `),
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/SENTINEL|7000007|Amal/);
    expect(received).toHaveLength(1);
  },
);

test("a valid offer is accepted, with additional fields and undocumented values [D-68]", async () => {
  const newerOffer = {
    ...offer,
    urgency: "high",
    recipients: [{ ...amal, response: "shortlisted", confirmation: "yes", rank: 1 }],
  };
  const { client } = await createValidatingClient(200, JSON.stringify(newerOffer), { etag: '"1"' });
  const { data, response } = await client.getOffer("a").withResponse();
  expect(data).toEqual(newerOffer);
  expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"']);
});

test("only the first ten of many invalid fields are listed [D-68]", async () => {
  const { client } = await createValidatingClient(
    200,
    JSON.stringify({ ...offer, recipients: Array(500).fill({ ...amal, id: "x" }) }),
  );
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect((error as Error).message).toMatch(/recipients\[9]\.id; /);
});

test("a request id that contains the key is omitted", async () => {
  const { client } = await createValidatingClient(200, JSON.stringify({ ...offer, title: 7 }), {
    "x-request-id": `for ${apiKey}`,
  });
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "invalid_response", requestId: undefined });
});

test.each([
  ["nothing", 204, "", "not_found"],
  ["a web page", 200, "<p>Sign in", "invalid_response"],
  ["a list", 200, "[]", "invalid_response"],
  ["a problem", 404, "{}", "not_found"],
])(
  "a response that is not an offer fails in the same way as without validation: %s",
  async (_what, status, body, code) => {
    const { client } = await createValidatingClient(status, body);
    await expect(client.getOffer("a")).rejects.toMatchObject({ code, status });
  },
);

test("a connection that breaks within the body is not reported as a middleware failure", async () => {
  const { baseUrl } = await serve((response) => {
    response.setHeader("content-length", "100").write("{");
    setImmediate(() => response.destroy());
  });
  const client = new OffersClient({ baseUrl, apiKey, middleware: [validateResponses()], maxRetries: 0 });
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "connection_lost" });
});

test("creations, completions and withdrawals are not validated", async () => {
  const { client } = await createValidatingClient(200, "offer_1");
  await expect(client.createOffer(input)).resolves.toEqual({ id: "offer_1" });
  await expect(client.completeOffer("a", ["w"])).resolves.toBeUndefined();
  await expect(client.withdrawOffer("a")).resolves.toBeUndefined();
});

test.each(samples.exchanges.filter(({ operation, outcome }) => operation === "getOffer" && "data" in outcome))(
  "an offer from the live service passes: $name",
  async ({ response, outcome }) => {
    const { client } = await createValidatingClient(200, JSON.stringify(response.json));
    await expect(client.getOffer("a")).resolves.toEqual(outcome.data);
  },
);

test("the schema has the same types as the client", () => {
  type Generated = z.infer<typeof generatedSchema>;
  /** Removes the index signature that keeps unknown fields. */
  type Known<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };
  expectTypeOf<z.infer<typeof offerSchema>>().toEqualTypeOf<Offer>();
  expectTypeOf<keyof Known<Generated>>().toEqualTypeOf<keyof Offer>();
  expectTypeOf<Omit<Known<Generated>, "events" | "recipients">>().toEqualTypeOf<Omit<Offer, "events" | "recipients">>();
  expectTypeOf<Known<Generated["events"][number]>>().toEqualTypeOf<Offer["events"][number]>();
  // The client's type of `response` lists the known values but allows others. The schema accepts any string.
  type Strict = Known<Generated["recipients"][number]>;
  expectTypeOf<Omit<Strict, "response" | "id">>().toEqualTypeOf<Omit<Recipient, "response" | "id">>();
  // The strict schema requires an id.
  expectTypeOf<Strict["id"]>().toEqualTypeOf<NonNullable<Recipient["id"]>>();
  expectTypeOf<string>().toExtend<Recipient["response"]>();
  expect(offerSchema.parse(offer)).toEqual(offer);
});
