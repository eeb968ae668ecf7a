import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Vitest's global setup: the tests start hundreds of processes, and what one of them has compiled, the types stripped, no other
 * needs to. For this run alone: the copies of packages that tests unpack would pile up.
 */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), "offers-compiled-"));
  process.env.NODE_COMPILE_CACHE = folder;
  // Every process writes to it as it ends.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
