// Runs only the property tests, with a fresh seed, which it prints.
//   PROPERTY_SEED=1234 npm run check -- properties     repeats a run
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";

const files = globSync("{packages,examples}/*/{src,test}/**/*.test.ts", {
  exclude: (path) => path.includes("node_modules"),
}).filter((file) => readFileSync(file, "utf8").includes("fc."));
const seed = process.env.PROPERTY_SEED ?? String(randomInt(2 ** 31));
console.log(`property tests with PROPERTY_SEED=${seed}`);
const { status } = spawnSync("vitest", ["run", ...files, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, PROPERTY_SEED: seed },
});
console.log(`PROPERTY_SEED=${seed}`);
process.exit(status ?? 1);
