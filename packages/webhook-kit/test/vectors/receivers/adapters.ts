import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { createAdaptorServer } from "@hono/node-server";
import express, { type RequestHandler } from "express";
import { webhookRouter } from "../../../src/express.ts";
import { webhookHandler } from "../../../src/fetch.ts";
import { webhookListener } from "../../../src/node.ts";
import { createNaiveRouter } from "./naive-receiver.ts";
import type { ReceiverSetup } from "./receiver-setup.ts";

/** Express 4. It has the types of Express 5, which are the same for everything that the adapters use. */
const express4 = createRequire(import.meta.url)("express4") as typeof express;

/** Creates a server with one receiver per mount path (the first path segment). A receiver is created by the first request to it. */
type VectorAdapter = (setUp: (mount: string) => ReceiverSetup) => Server;

const createExpressAdapter =
  (createApp: typeof express, createRouter: (setup: ReceiverSetup) => RequestHandler): VectorAdapter =>
  (setUp) => {
    const routerFor = memoizePerMount((mount) => createRouter(setUp(mount)));
    const app = createApp();
    app.use("/:mount", (request, response, next) => routerFor(request.params.mount ?? "")(request, response, next));
    return createServer(app);
  };

const nodeAdapter: VectorAdapter = (setUp) => {
  const listenerFor = memoizePerMount((mount) => webhookListener({ ...setUp(mount), basePath: `/${mount}` }));
  return createServer((request, response) => {
    const mount = findMount(request.url);
    if (mount) listenerFor(mount)(request, response);
    else response.writeHead(404).end();
  });
};

const fetchAdapter: VectorAdapter = (setUp) => {
  const handlerFor = memoizePerMount((mount) => webhookHandler({ ...setUp(mount), basePath: `/${mount}` }));
  const server = createAdaptorServer({
    fetch: (request) => {
      const mount = findMount(request.url);
      return mount ? handlerFor(mount)(request) : new Response("", { status: 404 });
    },
  });
  return server as Server;
};

/** Returns the mount path of a request target in origin or absolute form, or undefined if it has none. */
const findMount = (target = ""): string | undefined => /^(?:http:\/\/[^/]*)?\/(\d+\.[\w-]+)/.exec(target)?.[1];

function memoizePerMount<Receiver>(create: (mount: string) => Receiver): (mount: string) => Receiver {
  const receivers = new Map<string, Receiver>();
  return (mount) => {
    const receiver = receivers.get(mount) ?? create(mount);
    receivers.set(mount, receiver);
    return receiver;
  };
}

/** Every adapter in the kit, and the naive receiver. */
export const adapters: Readonly<Record<string, VectorAdapter>> = {
  "Express 4": createExpressAdapter(express4, webhookRouter),
  "Express 5": createExpressAdapter(express, webhookRouter),
  "node:http": nodeAdapter,
  fetch: fetchAdapter,
  naive: createExpressAdapter(express, createNaiveRouter),
};
