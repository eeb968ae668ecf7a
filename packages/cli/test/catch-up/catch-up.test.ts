import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { standardWebhooks, verifyRequest } from "@offers/webhook-kit";
import { expect, onTestFinished, test } from "vitest";
import { runOffers } from "../support/run-offers.ts";
import { secrets } from "../support/start-receiver.ts";
import { startRecorder } from "../support/start-recorder.ts";

const events = [
  {
    id: "event_1",
    type: "WorkerOfferResponse",
    data: { offerId: "offer_1", workerId: "worker_amal", response: "accepted" },
    createdAt: "2026-11-20T08:00:00.000Z",
  },
  {
    id: "event_2",
    type: "WorkerAddedContact",
    data: { workerId: "worker/ben" },
    createdAt: "2026-11-20T08:01:00.000Z",
  },
  { id: "event_3", type: "WorkerRenamed", data: { workerId: "worker_amal" }, createdAt: "2026-11-20T08:02:00.000Z" },
];

const apiKey = "key_harbour";
const env = { OFFERS_API_KEY: apiKey, WEBHOOK_SECRET: secrets.standardWebhooks };

/** Starts a feed like that of the reference platform, with one event per page. */
async function startFeed(fixedResponse?: { status: number; body: string }) {
  const urls: string[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url ?? "");
    const key = request.headers["x-ue-api-subscription-key"];
    const { status, body } =
      fixedResponse ?? (key === apiKey ? pageAfter(request.url ?? "") : { status: 401, body: "{}" });
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { from: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`, urls };
}

function pageAfter(url: string) {
  const start = Number(new URL(url, "http://127.0.0.1").searchParams.get("after") ?? 0);
  const page = { events: events.slice(start, start + 1), cursor: `${start + 1}`, more: start + 1 < events.length };
  return { status: 200, body: JSON.stringify(page) };
}

test("catch-up prints the events after a cursor in order, and the next cursor", async () => {
  const { from, urls } = await startFeed();
  const { code, stdout, stderr } = await runOffers(["catch-up", "--from", from, "--after", "1"], env);
  expect(stdout.split("\n")).toEqual([
    "2026-11-20T08:01:00.000Z  WorkerAddedContact  worker/ben",
    "2026-11-20T08:02:00.000Z  WorkerRenamed  worker_amal",
    "2 events. Next time, start with --after 3",
    "",
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(urls).toEqual([1, 2].map((after) => `/base/events?after=${after}&limit=100&api-version=1.0`));
});

test("catch-up prints a count of one in the singular", async () => {
  const { from } = await startFeed();
  const { stdout } = await runOffers(["catch-up", "--from", from, "--after", "2"], env);
  expect(stdout).toContain("\n1 event. Next time, start with --after 3\n");
});

test("catch-up reads from the start of the feed if the cursor is empty, such as an unset variable", async () => {
  const { from, urls } = await startFeed();
  const { code } = await runOffers(["catch-up", "--from", from, "--after", ""], env);
  expect([code, urls[0]]).toEqual([0, "/base/events?limit=100&api-version=1.0"]);
});

test("with --to, catch-up sends each event as a signed webhook with the same id", async () => {
  const { from } = await startFeed();
  const { to, received } = await startRecorder();
  const args = ["catch-up", "--from", from, "--to", to, "--scheme", "standard-webhooks"];
  const { code, stdout } = await runOffers(args, env);
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /offers/offer/response",
    "GET /offers/contact/new/worker%2Fben",
  ]);
  expect(received.map(({ headers }) => headers["webhook-id"])).toEqual(["event_1", "event_2"]);
  for (const { rawHeaders, body } of received)
    expect(
      await verifyRequest({ secret: secrets.standardWebhooks, scheme: standardWebhooks() }, { rawHeaders, body }),
    ).toMatchObject({ ok: true });
  expect(JSON.parse(String(received[0]?.body))).toEqual(events[0]?.data);
  expect(stdout).toContain("worker_amal accepted  200\n");
  expect(code).toBe(0);
});

test("catch-up stops at an event that is not acknowledged, and prints how to continue", async () => {
  const { from } = await startFeed();
  const { to, received } = await startRecorder((index) => (index === 1 ? 500 : 200));
  const args = ["catch-up", "--from", from, "--to", to, "--scheme", "standard-webhooks"];
  const { code, stdout, stderr } = await runOffers(args, env);
  expect([code, received.length]).toEqual([1, 2]);
  expect(stdout).toContain("worker/ben  500");
  expect(stderr).toBe(
    "The receiver did not acknowledge this event. Correct the receiver, and continue with --after 1.\n",
  );
});

test("catch-up advises comparing the secret when the receiver rejects the signature", async () => {
  const { from } = await startFeed();
  const { to } = await startRecorder(401);
  const args = ["catch-up", "--from", from, "--to", to, "--scheme", "standard-webhooks"];
  expect((await runOffers(args, env)).stderr).toBe(
    "The receiver did not acknowledge this event: the endpoint does not accept the secret; compare it with the one in its configuration. Correct the receiver, and continue from the start.\n",
  );
});

test("catch-up --json prints a line for each event and a line for the cursor", async () => {
  const { from } = await startFeed();
  const { stdout } = await runOffers(["catch-up", "--from", from, "--json"], env);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([...events, { cursor: "3" }]);
});

test.each([
  [{ status: 400, body: "{}" }, "Is --after a cursor"],
  [{ status: 401, body: "{}" }, "Check the API key."],
  [{ status: 404, body: "" }, "a platform that has a feed?"],
  [{ status: 200, body: "<p>sign in</p>" }, "a platform that has a feed?"],
])("after the invalid response %j, catch-up prints a remedy but not the API key", async (response, remedy) => {
  const { from } = await startFeed(response);
  const { code, stderr } = await runOffers(["catch-up", "--from", from], env);
  expect(code).toBe(2);
  expect(stderr).toContain(remedy);
  expect(stderr).not.toContain(apiKey);
});

test.each([{}, { OFFERS_API_KEY: "" }, { OFFERS_API_KEY: "key\n" }])(
  "catch-up sends nothing without a valid API key in the environment %j",
  async (environment) => {
    const { from, urls } = await startFeed();
    const { code, stderr } = await runOffers(["catch-up", "--from", from], environment);
    expect([code, urls]).toEqual([2, []]);
    expect(stderr).toContain("--api-key-file");
  },
);

test("catch-up prints the URL of a platform that cannot be reached", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  const { code, stderr } = await runOffers(["catch-up", "--from", from], env);
  expect(code).toBe(2);
  expect(stderr).toContain(`${from} cannot be reached (ECONNREFUSED). Start`);
});

/** Starts a forward proxy that opens tunnels to `upstreamUrl`, or responds to every CONNECT with `refusal`. */
async function startProxy(upstreamUrl: string, refusal?: string) {
  const targets: string[] = [];
  const server = createServer().on("connect", (request, client: Socket) => {
    targets.push(request.url ?? "");
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const upstream = connect(Number(new URL(upstreamUrl).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { HTTP_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

test("the feed is read through HTTP_PROXY, unless NO_PROXY lists the platform [D-157]", async () => {
  const { from } = await startFeed();
  const { HTTP_PROXY, targets } = await startProxy(from);
  const { code, stdout } = await runOffers(["catch-up", "--from", from], { ...env, HTTP_PROXY });
  expect([code, stdout.split("\n").length]).toEqual([0, 5]);
  expect(new Set(targets)).toEqual(new Set([new URL(from).host]));
  targets.length = 0;
  expect((await runOffers(["catch-up", "--from", from], { ...env, HTTP_PROXY, NO_PROXY: "127.0.0.1" })).code).toBe(0);
  expect(targets).toEqual([]);
});

// undici #2161: fetch's error then has the number 0 as its code.
test.each(["502 Bad Gateway", "407 Proxy Authentication Required"])(
  "a proxy that responds to CONNECT with %s is named in the message",
  async (refusal) => {
    const { from } = await startFeed();
    const { HTTP_PROXY } = await startProxy(from, refusal);
    const { code, stderr } = await runOffers(["catch-up", "--from", from], { ...env, HTTP_PROXY });
    expect(stderr).toMatch(
      new RegExp(`^offers: .* cannot be reached: the proxy refused .*${refusal.slice(0, 3)}.*HTTP_PROXY`),
    );
    expect([code, stderr.trim().split("\n")]).toEqual([2, [expect.any(String)]]);
  },
);

test("an invalid HTTP_PROXY is a usage error", async () => {
  const { from } = await startFeed();
  const { code, stderr } = await runOffers(["catch-up", "--from", from], { ...env, HTTP_PROXY: "http://[" });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^offers: HTTPS_PROXY or HTTP_PROXY is not a valid URL/)]);
});
