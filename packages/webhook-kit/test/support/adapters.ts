import type { Server } from "node:http";
import { serve as serveFetch } from "@hono/node-server";
import type express from "express";
import { Hono } from "hono";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { expressVersions, quietOptions, type RunningServer, serve, serveUntilTestFinished } from "./serve.ts";

/** An adapter of the kit, run behind a real HTTP server. */
export interface Adapter {
  /** The name in test titles. */
  readonly name: string;
  /** Whether the kit itself writes to the socket. */
  readonly isNode: boolean;
  /**
   * Serves a receiver under `prefix`, which may contain a `:parameter`, on a free loopback port until the test ends. Rejections are printed
   * only if `options` sets `onRejected` to undefined.
   */
  serve(options: ReceiverOptions, prefix?: string): Promise<RunningServer>;
}

const createExpressAdapter = (version: number, createApp: typeof express): Adapter => ({
  name: `Express ${version}`,
  isNode: true,
  serve: (options, prefix = "/") => serve(createApp().use(prefix, webhookRouter({ ...quietOptions, ...options }))),
});

/** Serves a Request → Response function on Node with `@hono/node-server`. */
const serveOnNode = (fetch: (request: Request) => Response | Promise<Response>): Promise<RunningServer> =>
  serveUntilTestFinished(serveFetch({ fetch, port: 0, hostname: "127.0.0.1" }) as Server);

/** Every adapter in the kit. */
export const adapters: readonly Adapter[] = [
  ...expressVersions.map(({ version, express }) => createExpressAdapter(version, express)),
  {
    name: "node:http",
    isNode: true,
    serve: (options, basePath = "/") => serve(webhookListener({ ...quietOptions, ...options, basePath })),
  },
  {
    name: "fetch",
    isNode: false,
    serve: (options, basePath = "/") => serveOnNode(webhookHandler({ ...quietOptions, ...options, basePath })),
  },
  {
    name: "fetch in Hono",
    isNode: false,
    serve(options, basePath = "/") {
      const webhooks = webhookHandler({ ...quietOptions, ...options, basePath });
      const pattern = `${basePath.replace(/\/+$/, "")}/*`;
      return serveOnNode(new Hono().all(pattern, ({ req }) => webhooks(req.raw)).fetch);
    },
  },
];

/** The adapters for tests that do not depend on how a request is read: only node:http, or every adapter with `npm test -- --full`. */
export const sampleAdapters = adapters.filter(({ name }) => process.env.TEST_MATRIX === "full" || name === "node:http");

/** The adapters that respond with the kit's own 404 instead of a framework's. */
export const standaloneAdapters = adapters.filter(({ name }) => !name.startsWith("Express"));
