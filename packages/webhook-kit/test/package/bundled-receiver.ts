import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import { acceptedResponse, post } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

/** The runtime that a bundle is for: Node, or an edge runtime such as Cloudflare's workerd. */
export type Target = "node" | "edge";

/** The export conditions of each target. */
export const conditions: Record<Target, string[]> = { node: ["node"], edge: ["workerd", "worker", "edge-light"] };

/** Bundles a module and everything it imports into one minified module that imports only Node's built-in modules. */
export type Bundler = (entry: string, outfile: string, target: Target) => Promise<unknown>;

/** Sends a POST to /offer/response. */
type Send = (init: RequestInit) => Promise<Response>;

/** Returns a function that sends requests to a fetch handler. */
export const sendToFetch =
  (receiver: (request: Request) => Promise<Response>): Send =>
  (init) =>
    receiver(new Request("http://127.0.0.1/offer/response", init));

/**
 * Bundles the smallest possible receiver. Expects the bundle to be small, to import only `node:crypto`, and to handle a signed webhook but
 * reject an unsigned one.
 *
 * @param create the name of the exported function that creates the receiver
 * @param sendTo returns a function that sends requests to the receiver
 */
export async function checkBundle<Receiver>(
  bundle: Bundler,
  target: Target,
  [entry, create]: readonly [entry: string, create: string],
  sendTo: (receiver: Receiver) => Send | Promise<Send>,
): Promise<void> {
  const { source, outfile } = await createProject(entry, create);
  await bundle(source, outfile, target);

  const code = await readFile(outfile);
  // The bundle contains only the kit's own code, so raise these limits only deliberately.
  expect(code.length).toBeLessThanOrEqual(41_800);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(16_400);
  const imports = [...code.toString().matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)/g)];
  // Workers provide node:crypto with `nodejs_compat`.
  expect(new Set(imports.map(([, name]) => name))).toEqual(new Set(["node:crypto"]));

  const { receiver, handled } = (await import(outfile)) as { receiver: Receiver; handled: unknown[] };
  const send = await sendTo(receiver);
  expect((await send(post(acceptedResponse, { "content-type": "application/json" }))).status).toBe(401);
  expect((await send(post(acceptedResponse))).status).toBe(200);
  expect(handled).toEqual([acceptedResponse]);
}

/** Creates a project that has the package installed, with a module that exports a receiver and the events that it handled. */
async function createProject(entry: string, create: string): Promise<{ source: string; outfile: string }> {
  const folder = await mkdtemp(join(tmpdir(), "offers-bundle-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "node_modules/@offers"), { recursive: true });
  await symlink(join(import.meta.dirname, "../.."), join(folder, "node_modules/@offers/webhook-kit"));
  const source = join(folder, "receiver.js");
  const program = `
    import { ${create} } from "@offers/webhook-kit/${entry}";
    export const handled = [];
    export const receiver = ${create}({ secret: "${secret}", onWorkerOfferResponse: (event) => void handled.push(event) });`;
  await writeFile(source, program);
  return { source, outfile: join(folder, "bundle.mjs") };
}
