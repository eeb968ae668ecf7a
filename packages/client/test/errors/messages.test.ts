import { expect, test } from "vitest";
import { type AnyOffersError, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
const errorOf = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

test("of a problem's detail the message holds neither the key nor what was sent nor an address", async () => {
  const input = {
    createdByUserId: "user_hana",
    title: "Kitchen help",
    details: "Ring at Mrs Okafor's",
    notifyEmailAddress: "hana@harbour.example",
    workerIds: ["worker_amal"],
  };
  const detail = [apiKey, ...Object.values(input).flat(), "bo@bistro.example", "line one\nline\u0007 two\u202E"].join(
    " / ",
  );
  const { baseUrl } = await serve(respondWith(400, JSON.stringify({ title: "Not valid", detail })));
  const error = await errorOf(new OffersClient({ baseUrl, apiKey }).createOffer(input));
  expect(error.message).not.toMatch(/harbour-hotels|user_hana|Kitchen|Okafor|hana@|worker_amal|bo@|[\p{Cc}\u202E]/u);
  expect(error.message).toContain("[sent] / [sent]");
  expect(error.message).toContain("line one line two");
  expect(error.problem?.detail).toContain("Kitchen help");
});

test("an id that was read is not in the message either", async () => {
  const { baseUrl } = await serve(respondWith(404, '{"detail":"There is no offer offer_4f1c2a."}'));
  const { message } = await errorOf(new OffersClient({ baseUrl, apiKey }).getOffer("offer_4f1c2a"));
  expect(message).toContain("There is no offer [sent].");
});

test("what the service says is cut, and of many fields ten are named", async () => {
  const errors = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`events[${index}].end`, ["is wrong"]]));
  const problem = { title: "t".repeat(5_000), detail: "d".repeat(5_000), errors };
  const { baseUrl } = await serve(respondWith(422, JSON.stringify(problem)));
  const { message } = await errorOf(new OffersClient({ baseUrl, apiKey }).withdrawOffer("a"));
  expect(message).toContain(`; ${"t".repeat(100)}…; ${"d".repeat(300)}…; see events[0].end`);
  expect(message).toContain("events[9].end, 40 more;");
  expect(message.length).toBeLessThan(1_000);
});

// As Bun 1.4 and Deno 2.9 report them, beside Node: one code for one failure.
test.each<[string, string, Error]>([
  ["connect_failed", "refused", Object.assign(new TypeError("Unable to connect."), { code: "ECONNREFUSED" })],
  ["connect_failed", "refused", Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" })],
  [
    "connect_failed",
    "refused",
    new TypeError(
      "error sending request for url (http://h/): client error (Connect): tcp connect error: Connection refused (os error 111)",
    ),
  ],
  [
    "connect_failed",
    "host was not found",
    new TypeError(
      "error sending request for url (http://h/): client error (Connect): dns error: failed to lookup address information",
    ),
  ],
  ["connect_failed", "no connection", new TypeError("error sending request: client error (Connect): No route to host")],
  ["port_blocked", "fetch refuses this port", new TypeError("Fetch failed: Requests to port 9 are blocked")],
  ["port_blocked", "fetch refuses this port", new TypeError("Fetch failed: Requests to port 6667 are blocked")],
  ["port_blocked", "fetch refuses this port", new TypeError("fetch failed", { cause: new Error("bad port") })],
  ["tls_failed", "not trusted", new TypeError("client error (Connect): invalid peer certificate: UnknownIssuer")],
  ["tls_failed", "out of date", new TypeError("client error (Connect): invalid peer certificate: Expired")],
  ["tls_failed", "another name", new TypeError("client error (Connect): invalid peer certificate: NotValidForName")],
  [
    "connection_lost",
    "the connection was lost",
    new TypeError("error sending request: client error (SendRequest): connection closed"),
  ],
])("a failure that a runtime reports so is %s, and says %s: %s", async (code, fault, thrown) => {
  const fetch = () => Promise.reject(thrown);
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey, fetch, maxRetries: 0 });
  const error = await errorOf(client.getOffer("a"));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^GetOffer at service\.example: /);
  expect(error.message).toContain(fault);
});

test("a port on which the Fetch standard allows nothing has one code, also where a runtime tries it and is refused", async () => {
  const original = globalThis.fetch;
  try {
    // Bun's own.
    const failing = (code: string) => () =>
      Promise.reject(Object.assign(new TypeError("Unable to connect."), { code }));
    const failure = (port: number, fetch?: OffersClientOptions["fetch"]) =>
      errorOf(new OffersClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, fetch, maxRetries: 0 }).getOffer("a"));
    globalThis.fetch = failing("ECONNREFUSED");
    for (const port of [1, 22, 6_000, 6_667, 10_080]) expect((await failure(port)).code).toBe("port_blocked");
    for (const port of [2, 80, 3_000, 6_001, 8_080]) expect((await failure(port)).code).toBe("connect_failed");
    // A fetch of one's own may use any port.
    expect((await failure(22, failing("ECONNREFUSED"))).code).toBe("connect_failed");
    // It was made, and may have brought an effect.
    globalThis.fetch = failing("ECONNRESET");
    expect((await failure(22)).code).toBe("connection_lost");
  } finally {
    globalThis.fetch = original;
  }
});
