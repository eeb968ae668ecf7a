// After a change to only the OpenAPI document, the type check must fail in the packages and examples that no longer match it.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/** One change to the OpenAPI document, and the folders in which the type check must fail. */
interface Mutation {
  change: string;
  original: string;
  replacement: string;
  failingFolders: readonly ("packages/client" | "packages/webhook-kit" | "examples/platform")[];
}

const mutations: readonly Mutation[] = [
  {
    change: "the path of an operation",
    original: "  /offer/{id}/withdraw:\n",
    replacement: "  /offer/{id}/retract:\n",
    failingFolders: ["packages/client", "examples/platform"],
  },
  {
    change: "the method of an operation",
    original: "  /offer/{id}/complete:\n    post:\n",
    replacement: "  /offer/{id}/complete:\n    put:\n",
    failingFolders: ["packages/client", "examples/platform"],
  },
  {
    change: "the status of a response",
    original: '        "204":\n          description: The offer is complete.\n',
    replacement: '        "202":\n          description: The offer is complete.\n',
    failingFolders: ["examples/platform"],
  },
  {
    change: "a required field of a response",
    original: "      required: [id, workerId, name, response, confirmation]\n",
    replacement: "      required: [id, workerId, response, confirmation]\n",
    failingFolders: ["packages/client"],
  },
  {
    change: "the type of a field",
    original: "        id:\n          type: integer\n",
    replacement: "        id:\n          type: string\n",
    failingFolders: ["packages/client", "examples/platform"],
  },
  {
    change: "the path of a webhook",
    original: "  /offer/response:\n",
    replacement: "  /offer/decision:\n",
    failingFolders: ["packages/webhook-kit", "examples/platform"],
  },
];

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

let copy: string;
let document: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "offers-spec-driven-"));
  // The links in the node_modules folders are relative, so they lead into the copy.
  for (const path of [
    "packages",
    "examples",
    "scripts",
    "tests",
    "spec",
    "docs",
    "package.json",
    "pnpm-workspace.yaml",
    "tsconfig.json",
    "vitest.config.ts",
  ])
    await cp(join(root, path), join(copy, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !/\/(data|site|\.cache)$/.test(source),
    });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  document = await readFile(join(copy, "spec/openapi.yaml"), "utf8");
  expect(await findTypeErrors()).toBe("");
}, 120_000);

afterAll(() => rm(copy, { recursive: true }));

test.each(mutations)(
  "after a change to $change, the type check fails in $failingFolders",
  { timeout: 120_000 },
  async (mutation) => {
    const { original, replacement, failingFolders } = mutation;
    expect(document.split(original)).toHaveLength(2);
    await writeFile(join(copy, "spec/openapi.yaml"), document.replace(original, replacement));
    await run(process.execPath, ["scripts/generate.ts"], { cwd: copy });
    const output = await findTypeErrors();
    for (const folder of failingFolders) expect(output).toContain(`${folder}/`);
  },
);

/** Type-checks the copy. @returns the compiler output, which is empty without errors */
async function findTypeErrors(): Promise<string> {
  const options = ["--incremental", "--tsBuildInfoFile", join(copy, "types.tsbuildinfo")];
  const tsc = run(join(root, "node_modules/.bin/tsc"), ["--pretty", "false", ...options], { cwd: copy });
  return tsc.then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}
