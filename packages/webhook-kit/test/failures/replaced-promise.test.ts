import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const program = join(import.meta.dirname, "replaced-promise-process.ts");

// Bluebird and zone.js, which Angular uses, replace the global Promise, but async functions still return the built-in one.
test.each(["bluebird", "zone.js/node"])(
  "responses do not change when %s replaces the global Promise",
  async (library) => {
    const { stdout, stderr } = await run(process.execPath, ["--no-warnings", program, library]);
    expect(JSON.parse(stdout)).toEqual({
      "a handler resolves": [200, 200, 200],
      "a handler throws": [500, 500, 500],
      "a handler throws without deduplication": [500, 500, 500],
      "a handler takes too long": [503, 503, 503],
      "the secret resolves": [200, 200, 200],
      "the secret throws": [503, 503, 503],
      "a store resolves": [200, 200, 200],
      "a store throws": [503, 503, 503],
    });
    expect(stderr).toBe("");
  },
);
