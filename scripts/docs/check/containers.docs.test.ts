// Checks that the deployment guide shows the files in docs/containers unchanged, and that linters find no problems in them.
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { describe, expect, onTestFinished, test } from "vitest";

const containers = join(import.meta.dirname, "../../../docs/containers");
const guide = readFileSync(join(containers, "../guides/deployment.md"), "utf8");
const files = globSync("*/*", { cwd: containers }).sort();

test("docs/containers contains the files for a receiver and for the platform", () =>
  expect(files).toEqual([
    "platform/Caddyfile",
    "platform/Dockerfile",
    "platform/compose.yaml",
    "receiver/Caddyfile",
    "receiver/Dockerfile",
    "receiver/compose.yaml",
    "receiver/server.mjs",
  ]));

test.each(files)("the guide shows %s", (file) =>
  expect(guide).toContain(readFileSync(join(containers, file), "utf8").trimEnd()),
);

test.each(files.filter((file) => file.endsWith("Dockerfile")))("linters find no problems in %s", (file) =>
  expect(validate(readFileSync(join(containers, file), "utf8"))).toEqual([]),
);

describe("a compose file", () => {
  const linter = new DCLinter({
    quiet: false,
    debug: false,
    exclude: [],
    rules: {
      // The proxy is the only service that is reachable from outside.
      "no-unbound-port-interfaces": 0,
      // The order of keys and the quotes around ports are a matter of taste.
      "require-quotes-in-ports": 0,
      "service-keys-order": 0,
      "top-level-properties-order": 0,
      "services-alphabetical-order": 0,
    },
  });

  const lintComposeFile = (file: string) =>
    linter.lintFiles([file], false).flatMap((result: { messages: object[] }) => result.messages);

  test("with a mistake fails the linter", async () => {
    const folder = await mkdtemp(join(tmpdir(), "offers-compose-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "compose.yaml"), "name: wrong\nservices:\n  platform:\n    imagee: node:24\n");
    expect(lintComposeFile(join(folder, "compose.yaml"))).not.toEqual([]);
  });

  test.each(files.filter((file) => file.endsWith("compose.yaml")))("passes the linter: %s", (file) =>
    expect(lintComposeFile(join(containers, file))).toEqual([]),
  );
});
