import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildSite } from "../build-site.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the built site. */
    site: string;
    /** The paths of the pages, without an extension. */
    pages: string[];
    /** The URL of the site, with a path prefix like on GitHub Pages. */
    address: string;
  }
}

const base = "/offers/next/";

const contentTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/** Vitest's global setup: builds the site once for all checks, with a path prefix, and serves its files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const site = await mkdtemp(join(tmpdir(), "offers-site-"));
  const pages = await buildSite(site, base);
  const server = createServer(async (request, response) => {
    const path = decodeURI(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path.startsWith(base) ? path.slice(base.length).replace(/(?<=^|\/)$/, "index.html") : undefined;
    const content = file === undefined ? undefined : await readFile(join(site, file)).catch(() => undefined);
    if (content === undefined || file === undefined) return response.writeHead(404).end();
    const contentType = contentTypes[extname(file)] ?? "text/plain; charset=utf-8";
    response.writeHead(200, { "content-type": contentType }).end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  project.provide("site", site);
  project.provide("pages", pages);
  project.provide("address", `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`);
  return async () => {
    server.close();
    await rm(site, { recursive: true });
  };
}
