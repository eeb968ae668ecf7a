import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import express from "express";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Deduplication } from "../../src/deduplication/deduplication.ts";
import { webhookRouter } from "../../src/express.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { createJsonHeaders, secret, serve } from "../support/serve.ts";

type Client = Parameters<typeof redisDeduplication>[0];

/** Starts a server that accepts connections but never responds. `cutOff` closes it and its connections. */
async function openSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    sockets.add(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cutOff = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(cutOff);
  return { port: (server.address() as AddressInfo).port, cutOff };
}

const clients: { name: string; connect: (port: number) => Client }[] = [
  {
    name: "npm redis",
    connect(port) {
      const client = createClient({ url: `redis://127.0.0.1:${port}` });
      client.on("error", () => undefined);
      client.connect().catch(() => undefined);
      onTestFinished(() => client.destroy());
      return client;
    },
  },
  {
    name: "ioredis",
    connect(port) {
      const client = new Redis(port, "127.0.0.1");
      client.on("error", () => undefined);
      onTestFinished(() => client.disconnect());
      return client;
    },
  },
];

/** Sends one event to a receiver with this store. @returns the status, the reported errors, and how often the handler ran */
async function sendEvent(deduplication: Deduplication) {
  const errors: { code: string; cause?: unknown }[] = [];
  const onWorkerOfferResponse = vi.fn();
  const router = webhookRouter({
    secret,
    deduplication,
    onWorkerOfferResponse,
    onError: (error) => errors.push(error),
  });
  const { url } = await serve(express().use(router));
  const body = JSON.stringify({ offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" });
  const { status } = await fetch(`${url}/offer/response`, { method: "POST", headers: createJsonHeaders(), body });
  return { status, errors, runCount: onWorkerOfferResponse.mock.calls.length };
}

describe.each(clients)("with a client from $name", ({ connect }) => {
  test("when Redis never responds, the request gets 503 in time, and the handler does not run [D-64]", async () => {
    const { port } = await openSilentServer();
    const { status, errors, runCount } = await sendEvent(redisDeduplication(connect(port), { timeoutMs: 60 }));
    expect([status, runCount]).toEqual([503, 0]);
    expect(errors).toMatchObject([
      { code: "deduplication_failed", cause: { message: "Redis did not respond within 60 ms." } },
    ]);
  });

  test("when Redis is down, the request gets 503", async () => {
    const { port, cutOff } = await openSilentServer();
    const client = connect(port);
    cutOff();
    const { status, errors, runCount } = await sendEvent(redisDeduplication(client, { timeoutMs: 60 }));
    expect([status, runCount]).toEqual([503, 0]);
    expect(errors).toMatchObject([{ code: "deduplication_failed" }]);
  });
});

/** Creates a client that records calls, and lets the test respond to each of them. */
function createFakeClient() {
  const calls: { script: string; keys: string[]; args: string[]; respond(result: unknown): void; fail(): void }[] = [];
  const client: Client = {
    eval: (script, { keys, arguments: args }) =>
      new Promise((respond, reject) => {
        calls.push({ script, keys, args, respond, fail: () => reject(new Error("READONLY")) });
      }),
  };
  return { calls, client };
}

const options = { leaseMs: 1_000 };

test("a lease that is granted after the timeout is released", async () => {
  const { calls, client } = createFakeClient();
  await expect(redisDeduplication(client, { timeoutMs: 10 }).acquire("k", options)).rejects.toThrow("10 ms");
  const [acquire] = calls;
  expect(calls).toHaveLength(1);
  acquire?.respond("acquired");
  await vi.waitFor(() => expect(calls).toHaveLength(2), { timeout: 60_000 });
  const [, token] = acquire?.args ?? [];
  expect(calls[1]).toMatchObject({ keys: acquire?.keys, args: [token] });
  calls[1]?.fail();
});

test("a lease that may have been granted before the connection broke is released", async () => {
  const { calls, client } = createFakeClient();
  const acquire = redisDeduplication(client).acquire("k", options);
  calls[0]?.fail();
  await expect(acquire).rejects.toThrow("READONLY");
  await vi.waitFor(() => expect(calls).toHaveLength(2), { timeout: 60_000 });
  calls[1]?.fail();
});

test("a timely response clears its timer, and waiting does not keep the process alive", async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = countTimers();
  const { calls, client } = createFakeClient();
  const deduplication = redisDeduplication(client, { timeoutMs: 60_000 });
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  const acquire = deduplication.acquire("k", options);
  expect(countTimers()).toBe(before);
  calls[0]?.respond("completed 200");
  expect(await acquire).toEqual({ state: "completed", status: 200 });
  expect(clear.mock.calls).toEqual([[set.mock.results[0]?.value]]);
});

test("a response that is a Buffer is read as a string", async () => {
  const { calls, client } = createFakeClient();
  const acquire = redisDeduplication(client).acquire("k", options);
  calls[0]?.respond(Buffer.from("inProgress 250"));
  expect(await acquire).toEqual({ state: "inProgress", retryAfterMs: 250 });
});

test.each([
  undefined,
  null,
  0,
  1,
  true,
  "",
  "OK",
  "acquired ",
  "\nacquired",
  "inProgress",
  "inProgress -1",
  "inProgress 1.5",
  "completed",
  "completed 20",
  "completed 2000",
  ["acquired"],
  { toString: () => "acquired" },
])("after an unexpected response from Redis, %j, every call rejects", async (result) => {
  const { calls, client } = createFakeClient();
  const deduplication = redisDeduplication(client);
  const steps = [
    () => deduplication.acquire("k", options),
    () => deduplication.complete("k", "t", 200, 1),
    () => deduplication.release("k", "t"),
  ];
  for (const step of steps) {
    const settled = Promise.resolve(step());
    calls.at(-1)?.respond(result);
    await expect(settled).rejects.toThrow("Unexpected response from Redis");
  }
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])("redisDeduplication rejects %s as a duration", async (time) => {
  const { calls, client } = createFakeClient();
  const deduplication = redisDeduplication(client);
  await expect(deduplication.acquire("k", { leaseMs: time })).rejects.toThrow(RangeError);
  await expect(deduplication.complete("k", "t", 200, time)).rejects.toThrow(RangeError);
  expect(calls).toEqual([]);
});

test.each([Number.NaN, 0, 99, 1_000, 200.5, "200"])("redisDeduplication rejects %s as a status", async (status) => {
  const { calls, client } = createFakeClient();
  await expect(redisDeduplication(client).complete("k", "t", status as number, 1)).rejects.toThrow(RangeError);
  expect(calls).toEqual([]);
});

test.each([
  { prefix: "" },
  { prefix: "{a}:" },
  { prefix: 7 },
  { timeoutMs: 0 },
  { timeoutMs: 0.5 },
  { timeoutMs: Number.NaN },
  { timeoutMs: 60_001 },
  { timeoutMs: "5" },
])("redisDeduplication rejects the options %j", (invalidOptions) => {
  const { client } = createFakeClient();
  expect(() => redisDeduplication(client, invalidOptions as never)).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});
