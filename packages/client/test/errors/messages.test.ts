import { expect, test } from "vitest";
import { type AnyOffersError, OffersClient } from "../../src/index.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
const catchError = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

test("the message contains a problem's detail without the key, the sent values and email addresses [D-97]", async () => {
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
  const error = await catchError(new OffersClient({ baseUrl, apiKey }).createOffer(input));
  expect(error.message).not.toMatch(/harbour-hotels|user_hana|Kitchen|Okafor|hana@|worker_amal|bo@|[\p{Cc}\u202E]/u);
  expect(error.message).toContain("[sent] / [sent]");
  expect(error.message).toContain("line one line two");
  expect(error.problem?.detail).toContain("Kitchen help");
});

test("the message does not contain the offer id", async () => {
  const { baseUrl } = await serve(respondWith(404, '{"detail":"There is no offer offer_4f1c2a."}'));
  const { message } = await catchError(new OffersClient({ baseUrl, apiKey }).getOffer("offer_4f1c2a"));
  expect(message).toContain("There is no offer [sent]; check");
});

test("the service's title, detail and reasons are truncated to 500 characters", async () => {
  const errors = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`events[${index}].end`, ["is wrong"]]));
  const problem = { title: "t".repeat(100), detail: "d".repeat(300), errors };
  const { baseUrl } = await serve(respondWith(422, JSON.stringify(problem)));
  const { message } = await catchError(new OffersClient({ baseUrl, apiKey }).withdrawOffer("a"));
  expect(message).toContain(
    `: 422; ${"t".repeat(100)}; ${"d".repeat(300)}; events[0].end: is wrong; events[1].end: is wrong; `,
  );
  expect(message).toMatch(/: 422; .{500}; change the request$/);
});

// Bun 1.4 and Deno 2.9, unlike Node, report one code for each failure.
test.each<[string, string, Error]>([
  ["connect_failed", "no connection", Object.assign(new TypeError("Unable to connect."), { code: "ECONNREFUSED" })],
  ["connect_failed", "no connection", Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" })],
  [
    "connect_failed",
    "refused",
    new TypeError(
      "error sending request for url (http://h/): client error (Connect): tcp connect error: Connection refused (os error 111)",
    ),
  ],
  [
    "connect_failed",
    "no connection",
    new TypeError(
      "error sending request for url (http://h/): client error (Connect): dns error: failed to lookup address information",
    ),
  ],
  ["connect_failed", "no connection", new TypeError("error sending request: client error (Connect): No route to host")],
  ["port_blocked", "fetch blocks this port", new TypeError("Fetch failed: Requests to port 9 are blocked")],
  ["port_blocked", "fetch blocks this port", new TypeError("Fetch failed: Requests to port 6667 are blocked")],
  ["port_blocked", "fetch blocks this port", new TypeError("fetch failed", { cause: new Error("bad port") })],
  ["tls_failed", "no TLS connection", new TypeError("client error (Connect): invalid peer certificate: UnknownIssuer")],
  ["tls_failed", "no TLS connection", new TypeError("client error (Connect): invalid peer certificate: Expired")],
  [
    "tls_failed",
    "no TLS connection",
    new TypeError("client error (Connect): invalid peer certificate: NotValidForName"),
  ],
  [
    "connection_lost",
    "the connection was lost",
    new TypeError("error sending request: client error (SendRequest): connection closed"),
  ],
])("an error from the runtime becomes %s with the message %s: %s", async (code, expectedMessage, thrown) => {
  const fetch = () => Promise.reject(thrown);
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey, fetch, maxRetries: 0 });
  const error = await catchError(client.getOffer("a"));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^GetOffer at service\.example: /);
  expect(error.message).toContain(expectedMessage);
});

test("the reasons for invalid fields in a message do not contain sent values or email addresses [D-97]", async () => {
  const input = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };
  const errors = {
    title: ["Kitchen help is taken, ask bo@bistro.example"],
    "workerIds[0]": ["worker_amal is unknown"],
  };
  const { baseUrl } = await serve(respondWith(400, JSON.stringify({ errors })));
  const { message } = await catchError(new OffersClient({ baseUrl, apiKey }).createOffer(input));
  expect(message).toContain(
    ": 400; title: [sent] is taken, ask [address] workerIds[0]: [sent] is unknown; change the request",
  );
});
