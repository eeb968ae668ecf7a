// Reproducible builds let anyone check that a published tarball was built from a commit.
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cloneRepository } from "./clone.ts";

test("two clones in different folders produce identical tarballs", { timeout: 900_000 }, async () => {
  const scratch = await mkdtemp(join(tmpdir(), "offers-reproducible-"));
  onTestFinished(() => rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  const hashes: Record<string, string>[] = [];
  for (const name of ["here", "in/another/folder, with a longer name"]) {
    const folder = join(scratch, name);
    await mkdir(folder, { recursive: true });
    const clone = await cloneRepository(folder);
    await clone.build();
    const filters = ["./packages/*", "!@offers/contract", "@offers/sandbox"];
    const packages = filters.flatMap((name) => ["--filter", name]);
    await clone.run("pnpm", "--silent", ...packages, "pack", "--out", join(folder, "%s.tgz"));
    const tarballs = (await readdir(folder)).filter((file) => file.endsWith(".tgz")).sort();
    const contents = tarballs.map(async (file) => [file, hash("sha256", await readFile(join(folder, file)))] as const);
    hashes.push(Object.fromEntries(await Promise.all(contents)));
  }
  expect(Object.keys(hashes[0] ?? {}).length).toBeGreaterThan(1);
  expect(hashes[1]).toEqual(hashes[0]);
});
