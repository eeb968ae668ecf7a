// How the client reads an offer whose fields differ from the contract (D-126), from a server that sends raw strings.
import { expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { offerShape } from "../../src/generated/offer-shape.ts";
import { type AnyOffersError, type Offer, OffersClient, type Recipient } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const [amal = expect.unreachable()] = offer.recipients;
const [event = expect.unreachable()] = offer.events;
const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const catchError = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );
/** Creates a client for a service that returns this string for every offer, and collects its log lines. */
async function createClientForBody(text: string) {
  const { baseUrl } = await serve(respondWith(200, text, jsonHeaders));
  const lines: object[] = [];
  const logger = { debug: () => {}, warn: (fields: object) => void lines.push(fields) };
  return { client: new OffersClient({ baseUrl, apiKey, logger }), lines };
}
const createClientForValue = (value: unknown) => createClientForBody(JSON.stringify(value));
const createShapeReport = (path: string) => [{ operation: "GetOffer", code: "unexpected_response_shape", path }];

/** The value of a field that is to be omitted. */
const absent = Symbol("absent");
type SentValue = string | number | boolean | null | object;
/** Each field that has an empty value: its path, the empty value, and a value of a different type with its converted value. */
const fields: [path: string, empty: unknown, conversion: [sent: SentValue, converted: unknown]][] = [
  ["title", "", [7, "7"]],
  ["details", "", [12.5, "12.5"]],
  ["locationPlaceId", "", [4711, "4711"]],
  ["createdAt", "", [2099, "2099"]],
  ["isHistoric", false, [1, true]],
  ["widthdrawn", false, [0, false]],
  ["complete", false, [1, true]],
  ["events", [], ["", []]],
  ["events[0].start", "", [2099, "2099"]],
  ["events[0].end", "", [0, "0"]],
  ["recipients[0].id", undefined, ["7", 7]],
  ["recipients[0].name", "", [7, "7"]],
  ["recipients[0].response", "", [2, "2"]],
  ["recipients[0].confirmation", "", [0, "0"]],
];
const splitPath = (path: string) => path.split(/[.[\]]+/);
const getParent = (value: object, path: string): Record<string, unknown> =>
  splitPath(path)
    .slice(0, -1)
    .reduce((parent: object, name) => Reflect.get(parent, name), value) as Record<string, unknown>;
/** Returns a copy of the offer with one field set or omitted. */
function changeOffer(path: string, value: unknown): Offer {
  const changedOffer = structuredClone(offer);
  const name = splitPath(path).at(-1) ?? "";
  if (value === absent) delete getParent(changedOffer, path)[name];
  else getParent(changedOffer, path)[name] = value;
  return changedOffer;
}

const combinations = fields.flatMap(
  ([path, empty, [sentValue, converted]]): [string, string, unknown, unknown, boolean][] => [
    [path, "null", null, empty, false],
    [path, "absent", absent, empty, false],
    [path, "empty", "", empty, typeof empty !== "string"],
    [path, `${JSON.stringify(sentValue)}, of a different type`, sentValue, converted, true],
  ],
);

test("at least forty combinations of field and value are tested", () =>
  expect(combinations.length).toBeGreaterThanOrEqual(40));

test.each(combinations)(
  "an offer whose %s is %s is read with a value of the correct type [D-126]",
  async (path, _how, sentValue, converted, isReported) => {
    const { client, lines } = await createClientForValue(changeOffer(path, sentValue));
    expect(await client.getOffer("a")).toEqual(changeOffer(path, converted));
    expect(lines).toEqual(isReported ? createShapeReport(path) : []);
  },
);

test("an offer that has only its id and its workers is read", async () => {
  const { client, lines } = await createClientForValue({ id: "a", recipients: [{ workerId: "w" }] });
  expect(await client.getOffer("a")).toEqual({
    id: "a",
    title: "",
    details: "",
    isHistoric: false,
    widthdrawn: false,
    complete: false,
    locationPlaceId: "",
    createdAt: "",
    events: [],
    recipients: [{ id: undefined, workerId: "w", name: "", response: "", confirmation: "" }],
  });
  expect(lines).toEqual([]);
});

test.each([
  [{ id: 7 }, "id", { id: "7" }],
  [{ id: 9_007_199_254_740_991 }, "id", { id: "9007199254740991" }],
  [{ recipients: [{ ...amal, workerId: 7 }] }, "recipients[0].workerId", { recipients: [{ ...amal, workerId: "7" }] }],
  [{ events: [null, event] }, "events", { events: [event] }],
])("%j is converted and reported as %s [D-126]", async (change, path, converted) => {
  const { client, lines } = await createClientForValue({ ...offer, ...change });
  expect(await client.getOffer("a")).toEqual({ ...offer, ...converted });
  expect(lines).toEqual(createShapeReport(path));
});

test("an unexpected shape is reported once per client, with the path of the field but not its value [D-126]", async () => {
  const { client, lines } = await createClientForValue({
    ...offer,
    title: 4_711_000,
    recipients: [{ ...amal, id: "4711001" }],
  });
  for (let reads = 0; reads < 3; reads++) await client.getOffer("a");
  expect(lines).toEqual(createShapeReport("title"));
  expect(JSON.stringify(lines)).not.toContain("4711");
});

test("a client without a logger, or with a logger that throws, converts offers too", async () => {
  const { baseUrl } = await serve(respondWith(200, JSON.stringify({ ...offer, title: 7 }), jsonHeaders));
  const throwDiskFull = () => {
    throw new Error("disk full");
  };
  for (const logger of [undefined, { debug: throwDiskFull, warn: throwDiskFull }])
    expect((await new OffersClient({ baseUrl, apiKey, logger }).getOffer("a")).title).toBe("7");
});

test.each<[object, string]>([
  [{ id: undefined }, "id must be of type non-empty string, not undefined; check baseUrl"],
  [{ id: null }, "id must be of type non-empty string, not Null"],
  [{ id: "" }, "id must be of type non-empty string, not string"],
  [{ id: true }, "id must be of type non-empty string, not boolean"],
  [{ recipients: undefined }, "recipients must be of type Array, not undefined"],
  [{ recipients: null }, "recipients must be of type Array, not Null"],
  [{ recipients: "" }, "recipients must be of type Array, not string"],
  [{ recipients: "worker_amal" }, "recipients must be of type Array, not string"],
  [{ recipients: { length: 0 } }, "recipients must be of type Array, not Object"],
  [{ recipients: [null] }, "recipients[0] must be of type Object, not Null"],
  [{ recipients: ["worker_amal"] }, "recipients[0] must be of type Object, not string"],
  [
    { recipients: [amal, amal, { ...amal, workerId: undefined }] },
    "recipients[2].workerId must be of type non-empty string",
  ],
  [{ recipients: [{ ...amal, workerId: "" }] }, "recipients[0].workerId must be of type non-empty string"],
  [{ recipients: [{ ...amal, id: "seven" }] }, "recipients[0].id must be of type number, not string"],
  [{ recipients: [{ ...amal, id: "Infinity" }] }, "recipients[0].id must be of type number, not string"],
  [{ recipients: [{ ...amal, id: "007" }] }, "recipients[0].id must be of type number, not string"],
  [{ widthdrawn: "false" }, "widthdrawn must be of type boolean, not string"],
  [{ complete: 2 }, "complete must be of type boolean, not number"],
  [{ title: { SENTINEL: "SENTINEL" } }, "title must be of type string, not Object"],
  [{ title: ["SENTINEL"] }, "title must be of type string, not Array"],
  [{ title: true }, "title must be of type string, not boolean"],
  [{ events: {} }, "events must be of type Array, not Object"],
  [{ events: ["SENTINEL"] }, "events[0] must be of type Object, not string"],
  [{ events: [[]] }, "events[0] must be of type Object, not Array"],
])(
  "the error for an offer with %j contains the path of the field, but not its value [D-126]",
  async (change, problem) => {
    const { client } = await createClientForValue({ ...offer, ...change });
    const error = await catchError(client.getOffer("a"));
    expect(error).toMatchObject({ name: "InvalidResponseError", code: "invalid_response", status: 200, attempts: 1 });
    expect(error.message).toContain(`: 200; ${problem}`);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("SENTINEL");
  },
);

test.each([
  [
    "a number that JSON.parse rounds",
    `{"id":90071992547409931,"recipients":[]}`,
    "id must be of type non-empty string",
  ],
  ["a list", "[]", "the body must be of type Object, not Array"],
  ["a string", '"ok"', "the body must be of type Object, not string"],
  ["null", "null", "the body must be of type Object, not Null"],
  ["an empty object", "{}", "id must be of type non-empty string, not undefined"],
  ["recipients as a string", '{"id":"a","recipients":"none"}', "recipients must be of type Array, not string"],
  ["truncated JSON", '{"id":"offer_4f1c2a","recipients":[', "the body is not JSON"],
  ["a sign-in page", "<!doctype html><title>Sign in</title>", "the body is HTML, not JSON"],
])("%s in place of an offer is an invalid response [D-126]", async (_what, text, problem) => {
  const { client } = await createClientForBody(text);
  const error = await catchError(client.getOffer("a"));
  expect(error).toMatchObject({ code: "invalid_response", status: 200 });
  expect(error.message).toMatch(`: 200; ${problem}`);
  expect(error.message).toMatch(/check baseUrl$/);
});

test("every way to read an offer is tolerant: withResponse, safe, a watch and openapi-fetch", async () => {
  const { baseUrl } = await serve(
    respondWith(200, JSON.stringify({ ...offer, complete: 1, details: null }), jsonHeaders),
  );
  const client = new OffersClient({ baseUrl, apiKey });
  const expected = { ...offer, complete: true, details: "" };
  expect((await client.getOffer("a").withResponse()).data).toEqual(expected);
  expect(await client.getOffer("a").safe()).toMatchObject({ ok: true, data: expected });
  for await (const recipient of client.watchOffer("a")) expect(recipient).toEqual(amal);
  const api = createOpenApiClient({ baseUrl, apiKey });
  expect((await api.GET("/offer/{id}", { params: { path: { id: "a" } } })).data).toEqual(expected);
});

test.each([
  ['{"id":7}', "7"],
  ["7", "7"],
  ["90071992547409931", "90071992547409931"],
  ['"7"', "7"],
])("a creation whose response is %s returns the id %s [D-126]", async (body, id) => {
  const { baseUrl } = await serve(respondWith(201, body));
  await expect(new OffersClient({ baseUrl, apiKey }).createOffer(input)).resolves.toEqual({ id });
});

test.each([
  ["{}", "id must be of type non-empty string, not undefined"],
  ['{"id":null}', "id must be of type non-empty string, not Null"],
  ['{"id":""}', "id must be of type non-empty string, not string"],
  ['{"id":90071992547409931}', "id must be of type non-empty string, not number"],
  ["null", "the body must be of type Object, not Null"],
  ["[]", "the body must be of type Object, not Array"],
  ['""', "the body must be of type Object, not string"],
  ["", "the body is not JSON"],
])("the error for a creation whose response is %s contains the problem: %s", async (body, problem) => {
  const { baseUrl } = await serve(respondWith(201, body));
  const error = await catchError(new OffersClient({ baseUrl, apiKey }).createOffer(input));
  expect(error).toMatchObject({ code: "invalid_response", status: 201 });
  expect(error.message).toContain(`201; ${problem}; check baseUrl`);
});

/** Asserts that the fields of an offer have the types that the client guarantees. */
function expectShape(value: unknown, shape: unknown): void {
  // An id is a non-empty string.
  if (shape === "id") expect(value).toMatch(/./s);
  else if (shape === "number") expect(["number", "undefined"]).toContain(typeof value);
  else if (typeof shape === "string") expect(typeof value).toBe(shape);
  else if (Array.isArray(shape)) {
    expect(value).toBeInstanceOf(Array);
    for (const item of value as unknown[]) expectShape(item, shape[0]);
  } else
    for (const [name, type] of Object.entries(shape as object)) expectShape(Reflect.get(Object(value), name), type);
}

test("an offer with any values is read with the correct types, or rejected with an error that contains a path", async () => {
  const paths = [...fields.map(([path]) => path), "id", "recipients", "recipients[0]", "recipients[0].workerId"];
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), fc.option(fc.jsonValue(), { nil: absent })), {
    minLength: 1,
    maxLength: 4,
  });
  let text = "";
  const { baseUrl } = await serve((response) => void response.writeHead(200, jsonHeaders).end(text));
  const client = new OffersClient({ baseUrl, apiKey });
  await fc.assert(
    fc.asyncProperty(changes, async (pathsAndValues) => {
      const changedOffer = structuredClone(offer);
      for (const [path, value] of pathsAndValues) {
        const names = splitPath(path).filter(Boolean);
        const lastName = names.pop() ?? "";
        // An earlier change may have replaced the list with something else.
        const parent = names.reduce((object: unknown, name) => Object(object)[name], changedOffer as unknown);
        if (typeof parent !== "object" || parent === null) continue;
        if (value === absent) Reflect.deleteProperty(parent, lastName);
        else Reflect.set(parent, lastName, value);
      }
      text = JSON.stringify(changedOffer);
      const result = await client.getOffer("a").safe();
      if (result.ok) expectShape(result.data, offerShape);
      else {
        expect(result.error.code).toBe("invalid_response");
        expect(result.error.message).toMatch(/200; (id|recipients|events|[a-z]+)[\w.[\]]* must be /i);
      }
    }),
    { numRuns: pickNumRuns(60, 300) },
  );
});

test("all ten thousand recipients are checked, including the last", async () => {
  const recipients = Array.from({ length: 10_000 }, (_, id): Recipient => ({ ...amal, id }));
  const { client } = await createClientForValue({ ...offer, recipients });
  expect((await client.getOffer("a")).recipients).toHaveLength(10_000);
  recipients[9_999] = { ...amal, workerId: undefined as never };
  const { client: rejectingClient } = await createClientForValue({ ...offer, recipients });
  const error = await catchError(rejectingClient.getOffer("a"));
  expect(error.message).toContain("recipients[9999].workerId must be");
});
