import type { Server } from "node:http";
import { serve as serveFetch } from "@hono/node-server";
import type express from "express";
import { Hono } from "hono";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { expresses, quiet, type Served, serve, untilTestFinished } from "./serve.ts";

/** One way to run a receiver behind a real HTTP server. */
export interface Adapter {
  /** The name in its test titles. */
  readonly name: string;
  /** Whether the kit itself writes to the socket. */
  readonly isNode: boolean;
  /**
   * Serves a receiver below `prefix`, which may have a `:parameter`, on a free loopback port until the test ends. It prints no rejections
   * unless `onRejected` is undefined.
   */
  serve(options: ReceiverOptions, prefix?: string): Promise<Served>;
}

const onExpress = (version: number, from: typeof express): Adapter => ({
  name: `Express ${version}`,
  isNode: true,
  serve: (options, prefix = "/") => serve(from().use(prefix, webhookRouter({ ...quiet, ...options }))),
});

/** Turns a Request → Response function into a Node server with `@hono/node-server`. */
const serveOnNode = (fetch: (request: Request) => Response | Promise<Response>): Promise<Served> =>
  untilTestFinished(serveFetch({ fetch, port: 0, hostname: "127.0.0.1" }) as Server);

/** Every adapter in the kit. */
export const adapters: readonly Adapter[] = [
  ...expresses.map(({ version, express }) => onExpress(version, express)),
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
      const below = `${basePath.replace(/\/+$/, "")}/*`;
      return serveOnNode(new Hono().all(below, ({ req }) => webhooks(req.raw)).fetch);
    },
  },
];

/** One adapter, for behaviour after the request has been read; in the full matrix (`npm test -- --full`), every adapter. */
export const anyAdapter = adapters.filter(({ name }) => process.env.TEST_MATRIX === "full" || name === "node:http");

/** The adapters without a framework's own 404. */
export const adaptersAlone = adapters.filter(({ name }) => !name.startsWith("Express"));
