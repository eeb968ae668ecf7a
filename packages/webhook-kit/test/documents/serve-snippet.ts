// Runs a snippet from the documents unchanged, and serves the receiver that it creates:
//   node serve-snippet.ts FILE   prints `listening PORT`
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, Server } from "node:http";
import { pathToFileURL } from "node:url";
import { getRequestListener } from "@hono/node-server";
import express, { type RequestHandler } from "express";
import { createHttpApi } from "../recipes/lambda-events.ts";

type Handle = (request: Request) => Promise<Response>;
const file = process.argv[2] ?? "";

// Replaces the functions and objects that a snippet declares but does not define, such as a queue or a lookup of tenant secrets.
const stub: object = new Proxy(() => Promise.resolve(process.env.WEBHOOK_SECRET), {
  get: (_, name) => (name === "then" ? undefined : stub),
});
for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^declare (?:const|function) (\w+)/gm))
  Reflect.set(globalThis, name, stub);

// Listens on a free port instead of the port in the snippet, because another snippet may be using that port.
type Listen = (this: Server, port: number, host: string, onListening?: () => void) => Server;
const listen: Listen = Server.prototype.listen;
const startedServers: Server[] = [];
Reflect.set(Server.prototype, "listen", function listenOnFreePort(this: Server) {
  startedServers.push(this);
  return Reflect.apply(listen, this, [0, "127.0.0.1"]);
});

const exportEntries = Object.entries(await import(pathToFileURL(file).href));
await new Promise(setImmediate);
// Fastify adds its routes only when it becomes ready.
for (const [, value] of exportEntries) await Object(value).ready?.();
const server =
  startedServers.find(({ listening }) => listening) ??
  createServerFor(exportEntries.find(([, value]) => isReceiver(value)));
if (!server.listening) await new Promise<void>((resolve) => Reflect.apply(listen, server, [0, "127.0.0.1", resolve]));
console.log(`listening ${Object(server.address()).port}`);

function isReceiver(value: unknown): boolean {
  const { callback, fetch, routing } = Object(value);
  const candidates = [value, callback, fetch, routing];
  return candidates.some((candidate) => typeof candidate === "function") || value instanceof Server;
}

function createServerFor([name, value]: [name: string, value: unknown] = ["", undefined]): Server {
  return value instanceof Server ? value : createServer(createListener(name, value));
}

/** Creates a listener for an exported receiver, which may be an application, a serverless function, a fetch handler or a listener. */
function createListener(name: string, value: unknown): RequestListener {
  const { callback, fetch, routing, length } = Object(value);
  // Koa has `callback`, Fastify has `routing`, and Hono has `fetch`.
  if (typeof callback === "function") return callback.call(value);
  if (typeof routing === "function") return routing;
  if (typeof fetch === "function") return getRequestListener((request) => fetch.call(value, request, process.env));
  if (name === "mountWebhooks" || name === "WebhooksModule") return createNestListener(name, value);
  if (name === "handler") return createHttpApi(value as Parameters<typeof createHttpApi>[0]);
  if (name === "fallback")
    return getRequestListener((request) => (value as (event: object) => Promise<Response>)({ request }));
  // A router, or an application with its own paths.
  if (length === 3 && !("listen" in Object(value))) return express().use("/offers", value as RequestHandler);
  return length > 1 ? (value as RequestListener) : getRequestListener(value as Handle);
}

/** Creates an Express application with the middleware of a Nest module. Imitates the objects that Nest passes to the module. */
function createNestListener(name: string, value: unknown): RequestListener {
  const app = express();
  if (name === "mountWebhooks") (value as (app: object) => void)(app);
  else {
    const forRoutes = (webhooks: RequestHandler) => (path: string) => app.use(`/${path}`, webhooks);
    const apply = (webhooks: RequestHandler) => ({ forRoutes: forRoutes(webhooks) });
    new (value as new () => { configure(consumer: object): void })().configure({ apply });
  }
  return app;
}
