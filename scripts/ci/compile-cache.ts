import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Vitest's global setup: a compile cache that all processes of this run share. It is removed at the end: the packages that tests unpack
 * have a new path in every run, so it would only grow.
 */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), "offers-compiled-"));
  process.env.NODE_COMPILE_CACHE = folder;
  // Every process writes to it when it ends.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
