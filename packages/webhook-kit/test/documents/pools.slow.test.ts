// PostgreSQL closes idle connections, for example when it restarts. The pool then emits an `error` event, which crashes a process that has
// no listener.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findSnippets } from "../../../../scripts/snippets/read.ts";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { createDatabaseForFile, openPool } from "../inbox/postgres-server.ts";

const root = join(import.meta.dirname, "../../../..");
const documents = ["README.md", "docs/**/*.md", "packages/*/*.md", "packages/webhook-kit/src/**/*.ts"];
const opensPool = /\bnew Pool\(|\bdrizzle\(/;
const poolLine =
  /^import .* from "(pg|drizzle-orm\/node-postgres)";$|\bnew Pool\(|\bdrizzle\(|\bpostgresInbox\(|\.on\("error"/;

/** Maps the lines of each sample that open a pool and handle its errors to the location of the sample. */
const samples = new Map<string, string>();
for (const source of globSync(documents, { cwd: root, exclude: ["**/node_modules/**", "docs/site/**"] }).sort())
  for (const { code, line } of findSnippets(source, readFileSync(join(root, source), "utf8"))) {
    const lines = code.split("\n").filter((text) => poolLine.test(text));
    if (opensPool.test(code)) samples.set(lines.join("\n"), `${source}:${line}`);
  }

const hasPostgres = await isPostgresRunning();
const url = hasPostgres ? await createDatabaseForFile() : "";

/**
 * Runs the lines of a sample in a process that queries the database once, and then again for each message. Replaces the sample's database
 * with the test database.
 */
function startSample(code: string, applicationName: string) {
  const folder = mkdtempSync(join(import.meta.dirname, "started-"));
  const file = join(folder, "sample.ts");
  writeFileSync(
    file,
    `let opened;
const postgresInbox = (handle) => { opened = handle.$client ?? handle; };
${code.replace(/"postgres:[^"]*"/, "process.env.DATABASE_URL").replace('{ host: "127.0.0.1", port: 1 }', "")}
await opened.query("SELECT 1");
process.on("message", async () => process.send((await opened.query("SELECT 'alive' AS state")).rows[0].state));
process.send("idle");`,
  );
  const { hostname: PGHOST, port: PGPORT, username: PGUSER, pathname } = new URL(url);
  const pg = { PGHOST, PGPORT, PGUSER, PGDATABASE: pathname.slice(1), PGAPPNAME: applicationName };
  const env = { ...process.env, ...pg, DATABASE_URL: url };
  const program = fork(file, { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  onTestFinished(() => {
    program.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  return program;
}

describe.runIf(hasPostgres)("the pools in the documents", () => {
  const observer = openPool(url);
  const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";

  test.each([...samples].map(([code, source]) => ({ code, source })))(
    "a program keeps running after its idle connection is closed: $source",
    async ({ code }) => {
      const name = `sample-${randomUUID()}`;
      const program = startSample(code, name);
      let errorOutput = "";
      program.stderr?.setEncoding("utf8").on("data", (text) => {
        errorOutput += text;
      });
      const exited = once(program, "exit");
      const waitForMessageOrExit = () => Promise.race([once(program, "message"), exited]);
      expect(await waitForMessageOrExit()).toEqual(["idle", undefined]);
      const { rowCount } = await observer.query(terminate, [name]);
      expect(rowCount).toBe(1);
      await expect.poll(() => errorOutput, { timeout: 60_000 }).toContain("terminating connection");
      program.send("query again", () => undefined);
      expect(await waitForMessageOrExit()).toEqual(["alive", undefined]);
    },
  );
});
