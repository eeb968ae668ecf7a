import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cloneRepository } from "./clone.ts";

test("commits and tags in the clone of a person whose home has no git identity", async () => {
  const home = await mkdtemp(join(tmpdir(), "offers-home-"));
  onTestFinished(() => rm(home, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  const clone = await cloneRepository(home);
  const withoutIdentity = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    // Otherwise git makes up an identity from the names of the user and the machine, where it can.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.useConfigOnly",
    GIT_CONFIG_VALUE_0: "true",
  };
  await clone.runAs(withoutIdentity, "git", "tag", "--annotate", "--message", "A version", "@offers/client@0.1.0");
  await clone.runAs(withoutIdentity, "git", "commit", "--quiet", "--allow-empty", "--message", "A commit");
  expect(await clone.git("log", "-1", "--format=%an %s")).toBe("Rehearsal A commit\n");
});
