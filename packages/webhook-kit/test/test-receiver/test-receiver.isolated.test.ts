import express from "express";
import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { Handlers } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { type TestedReceiver, testReceiver } from "../../src/testing.ts";
import { captureConsole } from "../support/capture-console.ts";
import { eventDeleted, timelineChanged } from "../support/payloads.ts";
import { quietOptions, secret, serve } from "../support/serve.ts";

captureConsole();

const createApp = (options: Omit<ReceiverOptions<Express.Request>, "secret">, path = "/hooks") =>
  express().use(path, webhookRouter({ ...quietOptions, secret, ...options } as ReceiverOptions));

const search = { userEmailAddresses: ["hana@harbour-hotels.example"], filter: "chef" };
const dana = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [] };

test("every webhook is signed, and reaches its handler with its payload", async () => {
  const handlers = {
    onWorkerAddedContact: vi.fn<NonNullable<Handlers["onWorkerAddedContact"]>>(),
    onWorkerOfferResponse: vi.fn<NonNullable<Handlers["onWorkerOfferResponse"]>>(),
    onOfferEventDeleted: vi.fn<NonNullable<Handlers["onOfferEventDeleted"]>>(),
    onTimelineChanged: vi.fn<NonNullable<Handlers["onTimelineChanged"]>>(),
    suggestContacts: vi.fn(() => [dana]),
  };
  await using receiver = await testReceiver(createApp(handlers), { secret, basePath: "/hooks/" });
  const accepted = { offerId: "o", workerId: "w", response: "accepted" } as const;
  const responses = [
    await receiver.test(),
    await receiver.testAuth(),
    await receiver.workerAddedContact({ workerId: "Jürgen/7 $&" }),
    await receiver.workerOfferResponse(accepted),
    await receiver.offerEventDeleted(eventDeleted),
    await receiver.timelineChanged(timelineChanged),
  ];
  expect(responses.map(({ status, body }) => [status, body])).toEqual(responses.map(() => [200, ""]));
  expect((await receiver.contactSuggestions(search)).suggestions).toEqual([dana]);
  expect(Object.values(handlers).map(({ mock }) => mock.calls.map(([payload]: unknown[]) => payload))).toEqual([
    [{ workerId: "Jürgen/7 $&" }],
    [accepted],
    [eventDeleted],
    [timelineChanged],
    [search],
  ]);
});

test("a call returns the status, headers and body of any response", async () => {
  await using receiver = await testReceiver(createApp({}), { secret, basePath: "/hooks" });
  const response = await receiver.contactSuggestions(search);
  expect([response.status, response.headers["content-type"], "suggestions" in response]).toEqual([
    404,
    "application/problem+json",
    false,
  ]);
  expect(JSON.parse(response.body)).toMatchObject({ code: "handler_not_configured" });
});

test("the same event is handled again when it is signed again, but not when resend repeats the request", async () => {
  const onWorkerAddedContact = vi.fn();
  await using receiver = await testReceiver(createApp({ onWorkerAddedContact }), { secret, basePath: "/hooks" });
  await expect(receiver.resend()).rejects.toThrow("No request has been sent yet");
  for (let times = 0; times < 20; times += 1) await receiver.workerAddedContact({ workerId: "w" });
  expect(onWorkerAddedContact).toHaveBeenCalledTimes(20);
  expect((await receiver.resend()).status).toBe(200);
  expect(onWorkerAddedContact).toHaveBeenCalledTimes(20);
});

test("two signatures differ even if the clock stops, and signing follows a clock that is set back", async () => {
  const signedAt: Date[] = [];
  let time = Date.parse("2030-01-01T00:00:00Z");
  const now = () => new Date(time);
  const onWorkerAddedContact: Handlers["onWorkerAddedContact"] = (_event, { verified }) =>
    void signedAt.push(new Date(time + verified.skewSeconds * 1000));
  await using receiver = await testReceiver(createApp({ now, onWorkerAddedContact }), {
    secret,
    basePath: "/hooks",
    now,
  });
  await receiver.workerAddedContact({ workerId: "w" });
  await receiver.workerAddedContact({ workerId: "w" });
  time = Date.parse("2020-01-01T00:00:00Z");
  await receiver.workerAddedContact({ workerId: "w" });
  expect(signedAt.map((date) => date.toISOString())).toEqual([
    "2030-01-01T00:00:00.000Z",
    "2030-01-01T00:00:00.001Z",
    "2020-01-01T00:00:00.000Z",
  ]);
});

describe("an app", () => {
  const workers: string[] = [];
  const app = createApp({ onWorkerAddedContact: ({ workerId }) => void workers.push(workerId) });

  test("testReceiver accepts the URL of a running receiver, with or without the path", async () => {
    const { url } = await serve(app);
    for (const [receiverUrl, basePath] of [
      [`${url}/hooks`, undefined],
      [new URL(`${url}/hooks/`), undefined],
      [url, "hooks"],
      [url, "/hooks/"],
    ] as const) {
      const receiver = await testReceiver(receiverUrl, { secret, ...(basePath && { basePath }) });
      expect((await receiver.testAuth()).status).toBe(200);
      await receiver.close();
    }
    expect((await fetch(`${url}/hooks/test`)).status).toBe(200);
  });

  test("testReceiver accepts a node:http listener, and close stops its server, even if called twice", async () => {
    let server: unknown;
    const receiver = await testReceiver(
      (request, response) => {
        server = (request.socket as typeof request.socket & { server: unknown }).server;
        response.end("hello");
      },
      { secret },
    );
    expect(await receiver.test()).toMatchObject({ status: 200, body: "hello" });
    await receiver.close();
    await receiver.close();
    expect(server).toMatchObject({ listening: false });
    await expect(receiver.test()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("testReceiver accepts an object whose fetch method uses `this`", async () => {
    const worker = {
      greeting: "hello",
      async fetch(request: Request) {
        const { pathname } = new URL(request.url);
        return new Response(`${this.greeting} ${request.method} ${pathname} ${await request.text()}`, { status: 201 });
      },
    };
    await using receiver = await testReceiver(worker, { secret, basePath: "/a b" });
    expect(await receiver.workerAddedContact({ workerId: "é" })).toMatchObject({
      status: 201,
      headers: { "content-type": "text/plain;charset=UTF-8" },
      body: "hello GET /a%20b/contact/new/%C3%A9 ",
    });
    const payload = { offerId: "o", workerId: "w", response: "accepted" } as const;
    expect((await receiver.workerOfferResponse(payload)).body).toContain(JSON.stringify(payload));
  });

  test.each([
    ["undefined", undefined],
    ["a number", 3001],
    ["a URL with another scheme", "ftp://127.0.0.1/"],
    ["a host without a protocol", "127.0.0.1"],
  ])("testReceiver rejects %s as an app", async (_description, app) => {
    await expect(testReceiver(app as string, { secret })).rejects.toMatchObject({ code: "invalid_option" });
  });
});

test("testReceiver rejects an empty secret before it sends a request", async () => {
  await expect(testReceiver(express(), { secret: "" })).rejects.toMatchObject({ code: "invalid_secret" });
});

test("a call rejects if a listener or a fetch function does not respond in time", async () => {
  const options = { secret, timeoutMs: 50 };
  await using listener = await testReceiver((_request, _response) => undefined, options);
  await expect(listener.test()).rejects.toMatchObject({ cause: { name: "TimeoutError" } });
  await using fetchApp = await testReceiver({ fetch: () => new Promise<Response>(() => undefined) }, options);
  await expect(fetchApp.test()).rejects.toMatchObject({ name: "TimeoutError" });
  expect(await fetchApp.checkContract()).toEqual(["GET /test got no response (TimeoutError); nothing more was sent."]);
});

test("a call rejects if the response is truncated", async () => {
  await using receiver = await testReceiver(
    (_request, response) => {
      response.writeHead(200, { "content-length": "10" }).write("half");
      response.destroy();
    },
    { secret },
  );
  await expect(receiver.test()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("payloads that the service would not send do not compile", () => {
  const misuse = async (receiver: TestedReceiver) => {
    // @ts-expect-error the response is a string
    await receiver.workerOfferResponse({ offerId: "o", workerId: "w", response: 7 });
    // @ts-expect-error userEmailAddresses is missing
    await receiver.contactSuggestions({ filter: "chef" });
    // @ts-expect-error there is no such webhook
    await receiver.checkContract({ workerResponded: { offerId: "o", workerId: "w", response: "accepted" } });
    // @ts-expect-error no app
    await testReceiver({}, { secret });
  };
  expect(misuse).toBeTypeOf("function");
});
