import type { Server } from "node:http";
import { serve as serveFetch } from "@hono/node-server";
import type express from "express";
import { Hono } from "hono";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { expresses, quiet, type Served, serve, serveUntilTestFinished } from "./serve.ts";

/** One way to run a receiver behind a real HTTP server. */
export interface Adapter {
  /** The name in test titles. */
  readonly name: string;
  /** Whether the kit itself writes to the socket. */
  readonly isNode: boolean;
  /**
   * Serves a receiver under `prefix`, which may contain a `:parameter`, on a free loopback port until the test ends. Rejections are not
   * printed unless `onRejected` is undefined.
   */
  serve(options: ReceiverOptions, prefix?: string): Promise<Served>;
}

const expressAdapter = (version: number, from: typeof express): Adapter => ({
  name: `Express ${version}`,
  isNode: true,
  serve: (options, prefix = "/") => serve(from().use(prefix, webhookRouter({ ...quiet, ...options }))),
});

/** Serves a Request → Response function on Node with `@hono/node-server`. */
const serveOnNode = (fetch: (request: Request) => Response | Promise<Response>): Promise<Served> =>
  serveUntilTestFinished(serveFetch({ fetch, port: 0, hostname: "127.0.0.1" }) as Server);

/** Every adapter in the kit. */
export const adapters: readonly Adapter[] = [
  ...expresses.map(({ version, express }) => expressAdapter(version, express)),
  {
    name: "node:http",
    isNode: true,
    serve: (options, basePath = "/") => serve(webhookListener({ ...quiet, ...options, basePath })),
  },
  {
    name: "fetch",
    isNode: false,
    serve: (options, basePath = "/") => serveOnNode(webhookHandler({ ...quiet, ...options, basePath })),
  },
  {
    name: "fetch in Hono",
    isNode: false,
    serve(options, basePath = "/") {
      const webhooks = webhookHandler({ ...quiet, ...options, basePath });
      const pattern = `${basePath.replace(/\/+$/, "")}/*`;
      return serveOnNode(new Hono().all(pattern, ({ req }) => webhooks(req.raw)).fetch);
    },
  },
];

/** One adapter for tests of what happens after a request is read. In the full matrix (`npm test -- --full`), every adapter. */
export const sampleAdapters = adapters.filter(({ name }) => process.env.TEST_MATRIX === "full" || name === "node:http");

/** The adapters without a framework's own 404. */
export const standaloneAdapters = adapters.filter(({ name }) => !name.startsWith("Express"));
