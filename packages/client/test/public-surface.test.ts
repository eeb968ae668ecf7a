import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as offers from "../src/index.ts";

test("the values that can be imported are these and no others", () =>
  expect(Object.keys(offers).sort()).toEqual([
    "AbortedError",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionError",
    "InvalidResponseError",
    "NotFoundError",
    "OffersClient",
    "OffersError",
    "PermissionError",
    "RateLimitError",
    "ServerError",
    "TimeoutError",
    "UsageError",
    "isOffersError",
  ]));

test("at most forty names are public, types included", () => {
  const index = readFileSync(join(import.meta.dirname, "../src/index.ts"), "utf8");
  const names = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim()),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.length).toBeLessThanOrEqual(40);
  expect(index).not.toMatch(/export \*/);
});

test("the package depends on nothing at run time", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).not.toHaveProperty("peerDependencies");
});
