import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { createAdaptorServer } from "@hono/node-server";
import express, { type RequestHandler } from "express";
import { webhookRouter } from "../../../src/express.ts";
import { webhookHandler } from "../../../src/fetch.ts";
import { webhookListener } from "../../../src/node.ts";
import { textbookRouter } from "./naive-receiver.ts";
import type { ReceiverSetup } from "./receiver-setup.ts";

/** Only the types of Express 5 are installed; the parts used here are the same in Express 4. */
const express4 = createRequire(import.meta.url)("express4") as typeof express;

/** Creates a server that creates a receiver for every mount path (a path's first segment) on its first request. */
type VectorAdapter = (setUp: (mount: string) => ReceiverSetup) => Server;

const onExpress =
  (from: typeof express, router: (setup: ReceiverSetup) => RequestHandler): VectorAdapter =>
  (setUp) => {
    const receiverOf = oncePerMount((mount) => router(setUp(mount)));
    const app = from();
    app.use("/:mount", (request, response, next) => receiverOf(request.params.mount ?? "")(request, response, next));
    return createServer(app);
  };

const onNode: VectorAdapter = (setUp) => {
  const listenerOf = oncePerMount((mount) => webhookListener({ ...setUp(mount), basePath: `/${mount}` }));
  return createServer((request, response) => {
    const mount = findMount(request.url);
    if (mount) listenerOf(mount)(request, response);
    else response.writeHead(404).end();
  });
};

const onFetch: VectorAdapter = (setUp) => {
  const handlerOf = oncePerMount((mount) => webhookHandler({ ...setUp(mount), basePath: `/${mount}` }));
  const server = createAdaptorServer({
    fetch: (request) => {
      const mount = findMount(request.url);
      return mount ? handlerOf(mount)(request) : new Response("", { status: 404 });
    },
  });
  return server as Server;
};

/** Returns the mount path of a target in origin or absolute form. */
const findMount = (target = ""): string | undefined => /^(?:http:\/\/[^/]*)?\/(\d+\.[\w-]+)/.exec(target)?.[1];

function oncePerMount<Made>(make: (mount: string) => Made): (mount: string) => Made {
  const made = new Map<string, Made>();
  return (mount) => {
    const one = made.get(mount) ?? make(mount);
    made.set(mount, one);
    return one;
  };
}

/** Every adapter in the kit, and the naive middleware. */
export const adapters: Readonly<Record<string, VectorAdapter>> = {
  "Express 4": onExpress(express4, webhookRouter),
  "Express 5": onExpress(express, webhookRouter),
  "node:http": onNode,
  fetch: onFetch,
  "the textbook": onExpress(express, textbookRouter),
};
