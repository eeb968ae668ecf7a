// After a change of the OpenAPI document alone, the type check names what else must change.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mutations } from "./mutations.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

let copy: string;
let document: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "offers-spec-driven-"));
  // The links of each package's node_modules are relative, so they lead into the copy.
  for (const part of [
    "packages",
    "examples",
    "tools",
    "spec",
    "docs",
    "package.json",
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
  expect(await typeErrors()).toBe("");
}, 120_000);

afterAll(() => rm(copy, { recursive: true }));

test.each(mutations)("a change of $what is noticed by $noticedBy", { timeout: 120_000 }, async (mutation) => {
  const { from, to, noticedBy } = mutation;
  expect(document.split(from)).toHaveLength(2);
  await writeFile(join(copy, "spec/openapi.yaml"), document.replace(from, to));
  await run(process.execPath, ["tools/generate.ts"], { cwd: copy });
  const said = await typeErrors();
  for (const part of noticedBy) expect(said).toContain(`${part}/`);
});

/** What the type check of the copy says. */
async function typeErrors(): Promise<string> {
  const options = ["--incremental", "--tsBuildInfoFile", join(copy, "types.tsbuildinfo")];
  const tsc = run(join(root, "node_modules/.bin/tsc"), ["--pretty", "false", ...options], { cwd: copy });
  return tsc.then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}
