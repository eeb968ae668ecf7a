// Tests the packed packages on every runtime that they support. The runtimes are installed from npm.
//   npm run check -- compatibility runtimes
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFreshProject } from "../../scripts/release/packages/fresh-project.ts";
import {
  checkWebhooksOn,
  type InstalledRuntime,
  type Results,
  runClientOn,
  runClientOverFetchOn,
  runTestServiceOn,
} from "./run-on.ts";
import { installRuntime, runtimes } from "./runtimes.ts";

const project = await createFreshProject();
const binaries = await mkdtemp(join(tmpdir(), "offers-runtimes-"));
const failures: string[] = [];
const tables: Record<string, Record<string, Results>> = {};

try {
  await project.install("@hono/node-server", "esbuild");
  const scripts = (await readdir(import.meta.dirname)).filter((file) => file.endsWith(".mjs"));
  for (const file of scripts) await copyFile(join(import.meta.dirname, file), join(project.folder, file));

  for (const runtime of runtimes) {
    let path: string;
    try {
      path = await installRuntime(runtime, binaries);
    } catch (error) {
      failures.push(
        `${runtime.name} could not be installed: ${(error as Error).message.split("\n").slice(0, 2).join(": ")}`,
      );
      continue;
    }
    const runners: Record<string, (runtime: InstalledRuntime) => Promise<Results>> = {
      "@offers/client": runClientOn,
      ...(runtime.hasNode22 && {
        "@offers/client, fetch": runClientOverFetchOn,
        "@offers/client/testing": runTestServiceOn,
      }),
      "@offers/webhook-kit/fetch": checkWebhooksOn,
    };
    for (const [name, run] of Object.entries(runners)) {
      const results = await run({ ...runtime, path, project }).catch((error: Error) => ({
        started: `FAILED: ${error.message.split("\n").slice(0, 3).join(" ")}`,
      }));
      tables[name] = { ...tables[name], [runtime.name]: results };
      for (const [check, result] of Object.entries(results))
        if (result.startsWith("FAILED")) failures.push(`${name}, ${runtime.name}, ${check}: ${result}`);
    }
  }
} finally {
  await rm(binaries, { recursive: true });
  await project.remove();
}

for (const [name, table] of Object.entries(tables)) {
  console.log(`\n${name}`);
  console.table(table);
}
console.log(failures.length ? failures.join("\n") : "Every check passed on every runtime.");
process.exitCode = failures.length ? 1 : 0;
