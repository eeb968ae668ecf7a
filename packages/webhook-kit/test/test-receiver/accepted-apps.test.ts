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

const handled: string[] = [];
const options = {
  secret,
  // An app's two tests send the same event, which a shared memory would treat as a duplicate within the same millisecond.
  deduplication: false as const,
  onRejected: () => undefined,
  onWorkerAddedContact: ({ workerId }: { workerId: string }) => void handled.push(workerId),
};
const basePath = "/offers";
const webhooks = webhookHandler({ ...options, basePath });
const listener = webhookListener({ ...options, basePath });

function fastifyApp() {
  const app = fastify();
  app.all("/offers/*", (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  });
  onTestFinished(() => app.close());
  return app;
}

async function listening(host: string) {
  const server = createServer(listener).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

/** The receivers that testReceiver and deliverTo accept; each is created for one test. */
const apps: Record<string, () => unknown> = {
  "a function from Request to Response": () => webhooks,
  "a function that calls one": () => (request: Request) => webhooks(request),
  "a Hono app": () => new Hono().all("/offers/*", ({ req }) => webhooks(req.raw)),
  "the fetch of a Hono app": () => new Hono().all("/offers/*", ({ req }) => webhooks(req.raw)).fetch,
  "an object with fetch": () => ({ fetch: webhooks }),
  "a listener of node:http": () => listener,
  "an Express app": () => express().use("/offers", webhookRouter(options)),
  "the callback of a Koa app": () =>
    new Koa()
      .use((context) => {
        context.respond = false;
        listener(context.req, context.res);
      })
      .callback(),
  "a server of node:http": () => createServer(listener),
  "a server that listens": () => listening("127.0.0.1"),
  "a server that listens on every interface": () => listening("0.0.0.0"),
  "a Fastify app": fastifyApp,
  "a Fastify app that is ready": async () => fastifyApp().ready(),
};

describe.each(Object.keys(apps))("%s", (name) => {
  test("is accepted by testReceiver", async () => {
    await using receiver = await testReceiver((await apps[name]?.()) as string, { secret, basePath });
    expect((await receiver.testAuth()).status).toBe(200);
    expect((await receiver.workerAddedContact({ workerId: name })).status).toBe(200);
    expect(handled.pop()).toBe(name);
  });

  test("is accepted by deliverTo of the client's test service", async () => {
    const service = createTestService({ workers: { [name]: "Amal" } });
    const baseUrl = `https://integrator.test${basePath}`;
    await service.deliverTo((await apps[name]?.()) as string, { secret, sign: signHeaders, baseUrl });
    service.addContact(name);
    await service.deliver();
    expect(service.deliveries).toMatchObject([{ state: "acknowledged" }]);
    expect(handled.pop()).toBe(name);
  });
});

test.each([
  ["nothing", undefined],
  ["a number", 3001],
  ["an empty object", {}],
  ["a promise of an app", Promise.resolve(webhooks)],
])("neither accepts %s, and both say what they accept", async (_, app) => {
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

test("a listener that does not declare its parameters gets an error that says so", async () => {
  const hidden = (...parameters: Parameters<typeof listener>) => listener(...parameters);
  await using receiver = await testReceiver(hidden, { secret, basePath });
  await expect(receiver.test()).rejects.toThrow(/fetch|declare both its parameters/);
});

test("close stops a server that was started, but not one that was already running", async () => {
  const [own, running] = [createServer(listener), await listening("127.0.0.1")];
  for (const server of [own, running]) await (await testReceiver(server, { secret, basePath })).close();
  expect([own.listening, running.listening]).toEqual([false, true]);
});
