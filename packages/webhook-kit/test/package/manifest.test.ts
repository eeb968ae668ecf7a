import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the package has no runtime dependencies, and all its peer dependencies are optional", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  // Only users who import a subpath need its peer dependency.
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers.filter((peer) => !manifest.peerDependenciesMeta[peer]?.optional)).toEqual([]);
});
