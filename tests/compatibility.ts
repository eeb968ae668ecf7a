// Tests the packed packages where their users run them: npm run check -- compatibility [runtimes] [types] [recipes]
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const requestedNames = process.argv.slice(2);
for (const name of requestedNames.length > 0 ? requestedNames : ["runtimes", "types", "recipes"]) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name, `run-${name}.ts`)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
