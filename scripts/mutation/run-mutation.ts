// Runs mutation testing on the code that unit tests cover: npm run check -- mutation [client] [webhook-kit] [platform]
import { spawnSync } from "node:child_process";

const requestedNames = process.argv.slice(2);
for (const name of requestedNames.length > 0 ? requestedNames : ["client", "webhook-kit", "platform"]) {
  const { status } = spawnSync("stryker", ["run", `scripts/mutation/${name}.stryker.json`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
