// Runs a snippet from the documents the way a reader would, and serves the receiver that it creates:
//   node serve-snippet.ts FILE   prints `listening PORT`
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, Server } from "node:http";
import { pathToFileURL } from "node:url";
import { getRequestListener } from "@hono/node-server";
import express, { type RequestHandler } from "express";
import { createHttpApi } from "../recipes/lambda-events.ts";

type Handle = (request: Request) => Promise<Response>;
const file = process.argv[2] ?? "";

// Stands in for what a snippet only declares: a queue, and a table of tenants who share one secret.
const stub: object = new Proxy(() => Promise.resolve(process.env.WEBHOOK_SECRET), {
  get: (_, name) => (name === "then" ? undefined : stub),
});
for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^declare (?:const|function) (\w+)/gm))
  Reflect.set(globalThis, name, stub);

// Ignores the port, because another snippet may be using it.
type Listen = (this: Server, port: number, host: string, onListening?: () => void) => Server;
const listen: Listen = Server.prototype.listen;
const started: Server[] = [];
Reflect.set(Server.prototype, "listen", function listenAnywhere(this: Server) {
  started.push(this);
  return Reflect.apply(listen, this, [0, "127.0.0.1"]);
});

const exported = Object.entries(await import(pathToFileURL(file).href));
await new Promise(setImmediate);
for (const [, value] of exported) await Object(value).ready?.();
const server = started.find(({ listening }) => listening) ?? serverFor(exported.find(([, value]) => isReceiver(value)));
if (!server.listening) await new Promise<void>((resolve) => Reflect.apply(listen, server, [0, "127.0.0.1", resolve]));
console.log(`listening ${Object(server.address()).port}`);

function isReceiver(value: unknown): boolean {
  const { callback, fetch, routing } = Object(value);
  return [value, callback, fetch, routing].some((each) => typeof each === "function") || value instanceof Server;
}

function serverFor([name, value]: [name: string, value: unknown] = ["", undefined]): Server {
  return value instanceof Server ? value : createServer(listenerFor(name, value));
}

/**
 * Returns a listener for any receiver: an application, which may read its `env`, a serverless function, or a handler for fetch Requests or
 * node:http.
 */
function listenerFor(name: string, value: unknown): RequestListener {
  const { callback, fetch, routing, length } = Object(value);
  if (typeof callback === "function") return callback.call(value);
  if (typeof routing === "function") return routing;
  if (typeof fetch === "function") return getRequestListener((request) => fetch.call(value, request, process.env));
  if (name === "mountWebhooks" || name === "WebhooksModule") return listenerForNest(name, value);
  if (name === "handler") return createHttpApi(value as Parameters<typeof createHttpApi>[0]);
  if (name === "fallback")
    return getRequestListener((request) => (value as (event: object) => Promise<Response>)({ request }));
  // A router, or an application with its own paths.
  if (length === 3 && !("listen" in Object(value))) return express().use("/offers", value as RequestHandler);
  return length > 1 ? (value as RequestListener) : getRequestListener(value as Handle);
}

/** Returns an Express application with a Nest module's middleware, mounted through the methods that Nest would pass. */
function listenerForNest(name: string, value: unknown): RequestListener {
  const app = express();
  if (name === "mountWebhooks") (value as (app: object) => void)(app);
  else {
    const forRoutes = (webhooks: RequestHandler) => (path: string) => app.use(`/${path}`, webhooks);
    const apply = (webhooks: RequestHandler) => ({ forRoutes: forRoutes(webhooks) });
    new (value as new () => { configure(consumer: object): void })().configure({ apply });
  }
  return app;
}
