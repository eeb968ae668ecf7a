// Mutation testing of what unit tests cover: npm run check -- mutation [client] [webhook-kit] [platform]
import { spawnSync } from "node:child_process";

const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : ["client", "webhook-kit", "platform"]) {
  const { status } = spawnSync("stryker", ["run", `scripts/mutation/${name}.stryker.json`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
