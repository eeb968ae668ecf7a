import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";
import { createDatabase } from "../test-database.ts";

const guide = join(import.meta.dirname, "../../docs/guides/workers.md");
const programs = join(import.meta.dirname, "queues");

/** The guide's samples of pg-boss and BullMQ, on these packages, PostgreSQL and Redis. Every event is handled, though handlers fail. */
export async function queues(project: FreshProject): Promise<void> {
  await project.install("pg-boss", "bullmq@6.7.0", "ioredis@5");
  const text = await readFile(guide, "utf8");
  const { version } = JSON.parse(await readFile(join(project.folder, "node_modules/pg-boss/package.json"), "utf8"));
  const [major = ""] = version.split(".");
  assert.ok(text.includes(`**pg-boss ${major}**`), `the guide names pg-boss ${major}`);
  const samples = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const run = async (name: string, mark: string, env: Record<string, string>) => {
    const sample = samples.filter((code) => code.includes(mark));
    assert.equal(sample.length, 1, `samples with ${mark}`);
    await project.write(`${name}-sample.mjs`, stripTypeScriptTypes(sample[0] ?? ""));
    await copyFile(join(programs, `${name}.mjs`), join(project.folder, `${name}.mjs`));
    const { stdout } = await promisify(execFile)(process.execPath, [`${name}.mjs`], {
      cwd: project.folder,
      env: { PATH: process.env.PATH, ...env },
    });
    // The second send of each event that has a key.
    assert.match(stdout, /^refused 5$/m, name);
  };
  await copyFile(join(programs, "events.mjs"), join(project.folder, "events.mjs"));
  const database = await createDatabase();
  try {
    await run("pg-boss", "boss.send", { DATABASE_URL: database.url });
  } finally {
    await database.drop();
  }
  const redis = process.env.REDIS_URL || "redis://127.0.0.1:6379/7";
  await run("bullmq", "removeOnComplete", { REDIS_URL: redis, QUEUE: `offers-${randomUUID()}` });
}
