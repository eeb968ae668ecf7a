// After a change to the OpenAPI document alone, the type check reports what else must change.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/** One change to the OpenAPI document, and the parts whose type check must fail. */
interface Mutation {
  what: string;
  from: string;
  to: string;
  noticedBy: readonly ("packages/client" | "packages/webhook-kit" | "examples/platform")[];
}

const mutations: readonly Mutation[] = [
  {
    what: "the path of an operation",
    from: "  /offer/{id}/withdraw:\n",
    to: "  /offer/{id}/retract:\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the method of an operation",
    from: "  /offer/{id}/complete:\n    post:\n",
    to: "  /offer/{id}/complete:\n    put:\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the status of a response",
    from: '        "204":\n          description: The offer is complete.\n',
    to: '        "202":\n          description: The offer is complete.\n',
    noticedBy: ["examples/platform"],
  },
  {
    what: "a required field of a response",
    from: "      required: [id, workerId, name, response, confirmation]\n",
    to: "      required: [id, workerId, response, confirmation]\n",
    noticedBy: ["packages/client"],
  },
  {
    what: "the type of a field",
    from: "        id:\n          type: integer\n",
    to: "        id:\n          type: string\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the path of a webhook",
    from: "  /offer/response:\n",
    to: "  /offer/decision:\n",
    noticedBy: ["packages/webhook-kit", "examples/platform"],
  },
];

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

let copy: string;
let document: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "offers-spec-driven-"));
  // The links in each package's node_modules are relative, so they lead into the copy.
  for (const part of [
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
    await cp(join(root, part), join(copy, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/(data|site|\.cache)$/.test(path),
    });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  document = await readFile(join(copy, "spec/openapi.yaml"), "utf8");
  expect(await findTypeErrors()).toBe("");
}, 120_000);

afterAll(() => rm(copy, { recursive: true }));

test.each(mutations)(
  "after a change to $what, the type check fails in $noticedBy",
  { timeout: 120_000 },
  async (mutation) => {
    const { from, to, noticedBy } = mutation;
    expect(document.split(from)).toHaveLength(2);
    await writeFile(join(copy, "spec/openapi.yaml"), document.replace(from, to));
    await run(process.execPath, ["scripts/generate.ts"], { cwd: copy });
    const output = await findTypeErrors();
    for (const part of noticedBy) expect(output).toContain(`${part}/`);
  },
);

/** Type-checks the copy. @returns the compiler's output, which is empty without errors */
async function findTypeErrors(): Promise<string> {
  const options = ["--incremental", "--tsBuildInfoFile", join(copy, "types.tsbuildinfo")];
  const tsc = run(join(root, "node_modules/.bin/tsc"), ["--pretty", "false", ...options], { cwd: copy });
  return tsc.then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}
