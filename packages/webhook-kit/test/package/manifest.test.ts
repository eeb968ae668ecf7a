import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the package depends on nothing at run time", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  // A subpath's peer is for those who import it.
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers.filter((peer) => !manifest.peerDependenciesMeta[peer]?.optional)).toEqual([]);
});
