import { once } from "node:events";
import { createServer } from "node:http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestService } from "../../../client/src/testing.ts";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { webhookListener } from "../../src/node.ts";
import { signHeaders, testReceiver } from "../../src/testing.ts";
import { secret } from "../support/serve.ts";

const handledWorkers: string[] = [];
const options = {
  secret,
  // Both tests of an app send the same event. If they signed it in the same millisecond, the second would be a duplicate.
  deduplication: false as const,
  onRejected: () => undefined,
  onWorkerAddedContact: ({ workerId }: { workerId: string }) => void handledWorkers.push(workerId),
};
const basePath = "/offers";
const webhooks = webhookHandler({ ...options, basePath });
const listener = webhookListener({ ...options, basePath });

function createFastifyApp() {
  const app = fastify();
  app.all("/offers/*", (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  });
  onTestFinished(() => app.close());
  return app;
}

async function startServer(host: string) {
  const server = createServer(listener).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

/** Functions that create a receiver of each type that testReceiver and deliverTo accept. */
const apps: Record<string, () => unknown> = {
  "a function from Request to Response": () => webhooks,
  "a function that calls a receiver": () => (request: Request) => webhooks(request),
  "a Hono app": () => new Hono().all("/offers/*", ({ req }) => webhooks(req.raw)),
  "a Hono app's fetch": () => new Hono().all("/offers/*", ({ req }) => webhooks(req.raw)).fetch,
  "an object with fetch": () => ({ fetch: webhooks }),
  "a node:http listener": () => listener,
  "an Express app": () => express().use("/offers", webhookRouter(options)),
  "a Koa app's callback": () =>
    new Koa()
      .use((context) => {
        context.respond = false;
        listener(context.req, context.res);
      })
      .callback(),
  "a node:http server": () => createServer(listener),
  "a server that listens": () => startServer("127.0.0.1"),
  "a server that listens on every interface": () => startServer("0.0.0.0"),
  "a Fastify app": createFastifyApp,
  "a Fastify app that is ready": async () => createFastifyApp().ready(),
};

describe.each(Object.keys(apps))("%s", (name) => {
  test("testReceiver accepts the app", async () => {
    await using receiver = await testReceiver((await apps[name]?.()) as string, { secret, basePath });
    expect((await receiver.testAuth()).status).toBe(200);
    expect((await receiver.workerAddedContact({ workerId: name })).status).toBe(200);
    expect(handledWorkers.pop()).toBe(name);
  });

  test("deliverTo of the client's test service accepts the app", async () => {
    const service = createTestService({ workers: { [name]: "Amal" } });
    const baseUrl = `https://integrator.test${basePath}`;
    await service.deliverTo((await apps[name]?.()) as string, { secret, sign: signHeaders, baseUrl });
    service.addContact(name);
    await service.deliver();
    expect(service.deliveries).toMatchObject([{ state: "acknowledged" }]);
    expect(handledWorkers.pop()).toBe(name);
  });
});

test.each([
  ["undefined", undefined],
  ["a number", 3001],
  ["an empty object", {}],
  ["a promise of an app", Promise.resolve(webhooks)],
])("testReceiver and deliverTo reject %s with an error that lists what they accept", async (_, app) => {
  const words = /a function from Request to Response.*a node:http listener or server.*Express or Fastify/;
  await expect(testReceiver(app as never, { secret })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringMatching(words),
  });
  const profile = { secret, sign: signHeaders };
  await expect(createTestService().deliverTo(app as never, profile)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringMatching(words),
  });
});

test("testReceiver rejects a listener that does not declare its parameters, and explains why", async () => {
  const listenerWithRest = (...parameters: Parameters<typeof listener>) => listener(...parameters);
  await using receiver = await testReceiver(listenerWithRest, { secret, basePath });
  await expect(receiver.test()).rejects.toThrow(/fetch|declare both its parameters/);
});

test("close stops a server that testReceiver started, but not a server that was already running", async () => {
  const [idleServer, runningServer] = [createServer(listener), await startServer("127.0.0.1")];
  for (const server of [idleServer, runningServer]) await (await testReceiver(server, { secret, basePath })).close();
  expect([idleServer.listening, runningServer.listening]).toEqual([false, true]);
});
