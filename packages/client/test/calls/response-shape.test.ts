import { expect, test } from "vitest";
import { fc } from "../../../../tools/property-seed.ts";
import { type AnyOffersError, OffersClient } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const [amal = expect.unreachable()] = offer.recipients;
const [event = expect.unreachable()] = offer.events;
const errorOf = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );
/** A client of a service that reads this. */
const reading = (value: unknown) =>
  new OffersClient({
    baseUrl: "https://service.example",
    apiKey,
    fetch: async () => Response.json(value, { headers: { "content-type": "application/json; charset=utf-8" } }),
  });

test.each<[object, string]>([
  [{ widthdrawn: undefined }, "widthdrawn is missing"],
  [{ widthdrawn: "no" }, "widthdrawn is a string, not a boolean"],
  [{ complete: 0 }, "complete is a number, not a boolean"],
  [{ createdAt: null }, "createdAt is null, not a string"],
  [{ id: 7 }, "id is a number, not a string"],
  [{ title: undefined }, "title is missing"],
  [{ events: undefined }, "events is missing"],
  [{ events: null }, "events is null, not an array"],
  [{ events: {} }, "events is an object, not an array"],
  [{ events: [event, { end: event.end }] }, "events[1].start is missing"],
  [{ events: ["tomorrow"] }, "events[0] is a string, not an object"],
  [{ events: [[]] }, "events[0] is an array, not an object"],
  [{ recipients: { length: 0 } }, "recipients is an object, not an array"],
  [{ recipients: [amal, amal, amal, { ...amal, workerId: undefined }] }, "recipients[3].workerId is missing"],
  [{ recipients: [{ ...amal, id: "1" }] }, "recipients[0].id is a string, not an integer"],
  [{ recipients: [{ ...amal, id: 1.5 }] }, "recipients[0].id is a number, not an integer"],
  [{ recipients: [null] }, "recipients[0] is null, not an object"],
])("an offer with %j is an invalid response that names the field", async (change, fault) => {
  const error = await errorOf(reading({ ...offer, ...change }).getOffer("a"));
  expect(error).toMatchObject({ name: "InvalidResponseError", code: "invalid_response", status: 200, attempts: 1 });
  expect(error.message).toContain(`GetOffer at service.example: 200, but ${fault}`);
});

test.each([
  [[], "the body is an array, not an object"],
  ["offer_1", "the body is a string, not an object"],
  [null, "the body is null, not an object"],
])("JSON that is no object, %j, says so", async (value, fault) =>
  expect((await errorOf(reading(value).getOffer("a"))).message).toContain(`200, but ${fault}`),
);

test("every way to read an offer is held to it: the response too, safe, a watch and openapi-fetch", async () => {
  const client = reading({ ...offer, complete: null });
  const fault = { code: "invalid_response", message: expect.stringContaining("complete is null") };
  await expect(client.getOffer("a").withResponse()).rejects.toMatchObject(fault);
  expect(await client.getOffer("a").safe()).toMatchObject({ ok: false, error: fault });
  await expect(client.watchOffer("a")[Symbol.asyncIterator]().next()).rejects.toMatchObject(fault);
  const api = createOpenApiClient({
    baseUrl: "https://service.example",
    apiKey,
    fetch: async () => Response.json({ ...offer, complete: null }),
  });
  expect((await api.GET("/offer/{id}", { params: { path: { id: "a" } } })).error).toMatchObject(fault);
});

test.each([
  ["{}", "id is missing"],
  ['{"id":7}', "id is a number, not a string"],
  ['{"id":""}', "id is empty"],
  ["null", "id is missing"],
  ["", "the body is empty"],
])("a creation whose response is %s says what is wrong with the id", async (body, fault) => {
  const { baseUrl } = await serve(respondWith(201, body));
  const error = await errorOf(new OffersClient({ baseUrl, apiKey }).createOffer(input));
  expect(error).toMatchObject({ code: "invalid_response", status: 201 });
  expect(error.message).toContain(`201, but ${fault}; check baseUrl`);
});

test("whatever is taken from an offer, or put in its place, is an offer that is whole or an error that names its path", async () => {
  const paths = [
    ...Object.keys(offer).map((name) => [name]),
    ...Object.keys(event).map((name) => ["events", 0, name]),
    ...Object.keys(amal).map((name) => ["recipients", 0, name]),
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.option(fc.jsonValue(), { nil: undefined }), async (path, value) => {
      const changed = structuredClone(offer);
      const target = path.slice(0, -1).reduce<object>((inner, step) => Reflect.get(inner, step), changed) as Record<
        string,
        unknown
      >;
      const last = String(path.at(-1));
      const before = target[last];
      target[last] = value;
      const wanted = Array.isArray(before) ? "array" : typeof before;
      const given = Array.isArray(value) ? "array" : typeof value;
      const result = await reading(changed).getOffer("a").safe();
      const written = path
        .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
        .join("")
        .slice(1);
      if (result.ok) expect(given).toBe(wanted);
      else {
        expect(result.error.code).toBe("invalid_response");
        expect(result.error.message).toContain(written);
      }
      if (given !== wanted) expect(result.ok).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test("no value of the response is in the message", async () => {
  const error = await errorOf(reading({ ...offer, title: { SENTINEL: "SENTINEL" } }).getOffer("a"));
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("SENTINEL");
});

test("ten thousand recipients are looked at, the last one too", async () => {
  const recipients = Array.from({ length: 10_000 }, (_, id) => ({ ...amal, id }));
  expect((await reading({ ...offer, recipients }).getOffer("a")).recipients).toHaveLength(10_000);
  recipients[9_999] = { ...amal, name: undefined as never };
  expect((await errorOf(reading({ ...offer, recipients }).getOffer("a"))).message).toContain(
    "recipients[9999].name is missing",
  );
});
