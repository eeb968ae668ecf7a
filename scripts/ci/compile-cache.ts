import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Vitest's global setup: creates a compile cache that all processes of this run share, and removes it at the end. Tests unpack packages to
 * new paths in every run, so a lasting cache would only grow.
 */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), "offers-compiled-"));
  process.env.NODE_COMPILE_CACHE = folder;
  // Every process writes to the cache when it ends.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
