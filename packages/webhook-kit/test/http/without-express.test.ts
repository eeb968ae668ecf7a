import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { testReceiver } from "../../src/testing.ts";
import { captureConsole } from "../support/capture-console.ts";
import { secret, serve } from "../support/serve.ts";

captureConsole();

type Middleware = (request: never, response: never, next: (error?: unknown) => void) => unknown;

/** Mounts middleware as @fastify/middie does for Nest: `url` lacks the mount path, and there is no `path`. */
const mountLikeMiddie =
  (middleware: Middleware) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { url = "/" } = request;
    if (!url.startsWith("/offers/")) return void response.writeHead(404).end();
    Object.assign(request, { originalUrl: url, url: url.slice("/offers".length) });
    middleware(request as never, response as never, (error) => response.writeHead(error ? 500 : 404).end());
  };

test("webhookRouter handles requests that have only a url, as in Nest on Fastify", async () => {
  const onWorkerOfferResponse = vi.fn();
  const router = webhookRouter({ secret, onWorkerOfferResponse });
  const receiver = await testReceiver(createServer(mountLikeMiddie(router)), { secret, basePath: "/offers" });
  const workerOfferResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
  expect(await receiver.checkContract({ workerOfferResponse })).toEqual([]);
  expect(onWorkerOfferResponse).toHaveBeenCalled();
  await receiver.close();
});

test("verifyWebhook rejects an unsigned request that has only a url", async () => {
  const { url } = await serve(mountLikeMiddie(verifyWebhook({ secret, onRejected: () => undefined })));
  expect((await fetch(`${url}/offers/own/path?q=1`)).status).toBe(401);
});
