// Bundles the smallest receivers with esbuild. Other bundlers take seconds to load, so bundlers.slow.test.ts tests them.
import type { RequestListener } from "node:http";
import { build } from "esbuild";
import express, { type RequestHandler } from "express";
import { test } from "vitest";
import { createHttpApi } from "../recipes/lambda-events.ts";
import { captureConsole } from "../support/capture-console.ts";
import { serve } from "../support/serve.ts";
import { type Bundler, checkBundle, conditions, sendToFetch } from "./bundled-receiver.ts";

captureConsole();

const esbuild: Bundler = (entry, outfile, target) =>
  build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: target === "node" ? "node" : "browser",
    conditions: conditions[target],
    external: ["node:*"],
    logLevel: "silent",
  });

test.each(["node", "edge"] as const)("a receiver from /fetch for %s is small, and handles signed webhooks", (target) =>
  checkBundle(esbuild, target, ["fetch", "webhookHandler"], sendToFetch),
);

test.each<[entry: string, create: string, toListener: (receiver: never) => RequestListener]>([
  ["express", "webhookRouter", (receiver: RequestHandler) => express().use(receiver)],
  ["lambda", "webhookFunction", createHttpApi],
  ["node", "webhookListener", (receiver: RequestListener) => receiver],
])("a receiver from /%s is small, and handles signed webhooks", (entry, create, toListener) =>
  checkBundle(esbuild, "node", [entry, create], async (receiver) => {
    const { url } = await serve(toListener(receiver as never));
    return (init) => fetch(`${url}/offer/response`, init);
  }),
);
