// Runs the first document that a newcomer reads, with the existing build.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished, test } from "vitest";
import { writeNpmWithoutBuild } from "./npm-without-build.ts";
import { readDocument } from "./read-document.ts";
import { runDocument } from "./run-document.ts";

const root = join(import.meta.dirname, "../..");

test("the commands of the manual walkthrough work by copy and paste, and print the documented output", {
  timeout: 900_000,
}, async () => {
  const bin = await mkdtemp(join(tmpdir(), "offers-npm-"));
  onTestFinished(() => rm(bin, { recursive: true }));
  await writeNpmWithoutBuild(root, bin);
  await runDocument(readDocument(root, "docs/guides/walkthrough.md"), {
    root,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, DATABASE_URL: "" },
    limitMs: 600_000,
  });
});
