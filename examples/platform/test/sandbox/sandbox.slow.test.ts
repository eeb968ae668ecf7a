// Tests the sandbox from its sources. The tests in scripts/release/sandbox test the packed sandbox.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { resetData } from "../../src/sandbox/main.ts";
import { lockFolder } from "../../src/store/folder-lock.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

const main = join(import.meta.dirname, "../../src/sandbox/main.ts");
const [pglite] = await storesUnderTest();
const databases: TestDatabase[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const database of databases.splice(0)) await database.remove();
});

async function createDataFolder(): Promise<string> {
  const database = await pglite.createDatabase();
  databases.push(database);
  return database.options.dataFolder;
}

const command = [process.execPath, "--liftoff-only", "--disable-warning=ExperimentalWarning", main];

function startSandbox(...args: string[]) {
  return startProgram([...command, ...args]);
}

function startProgram([file = "", ...args]: string[], extraEnv: NodeJS.ProcessEnv = {}) {
  // These settings belong to other programs. The sandbox must ignore them.
  const env = {
    PATH: process.env.PATH,
    PORT: "1",
    DATABASE_URL: "x",
    OFFERS_DIALECT: "x",
    ...extraEnv,
  };
  const child = spawn(file, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  return { child, lines, closed: once(child, "close") as Promise<[number | null]> };
}

test("the sandbox registers the endpoint once its checks pass, runs the example, and prints each delivery [D-106]", async () => {
  const receiver = await openReceiver(respondWith(503));
  const options = [
    "--port",
    "0",
    "--data",
    await createDataFolder(),
    "--webhooks-to",
    receiver.baseAddress,
    "--example",
  ];
  const { child, lines, closed } = startSandbox(...options);
  const waitForOutput = (text: string) => eventually(text, () => lines.some((line) => line.includes(text)));
  await waitForOutput("not saved: GET /test: responded with 503; only 200 counts; GET /test/auth: responded with 503");
  receiver.respond = respondWith(200);
  await waitForOutput("both checks passed");
  await eventually("both responses are delivered", () => lines.join("\n").split(" delivered ").length === 3);
  child.kill("SIGTERM");
  expect(await closed).toEqual([0, null]);
  await receiver.close();

  expect(lines[0]).toMatch(/^sandbox listening on http:\/\/127\.0\.0\.1:\d+ \(store PGlite in /);
  expect(lines.join("\n")).not.toContain("Warning");
  const responses = receiver.requests
    .filter(({ url }) => url === "/offer/response")
    .map(({ body }) => JSON.parse(body));
  expect(responses).toMatchObject([
    { workerId: "worker_amal", response: "accepted" },
    { workerId: "worker_ben", response: "rejected" },
  ]);
});

test.each([
  ["--port", "x", /^offers-sandbox: Invalid --port: expected a port from 0 \(any free one\) to 65535; got x$/],
  [
    "--data",
    "/dev/null/x",
    /^offers-sandbox: --data: \/dev\/null\/x cannot be used as the data folder: .*; set --data to a writable folder/,
  ],
])("the sandbox with %s %s reports in one line why it does not start", async (option, value, message) => {
  const { lines, closed } = startSandbox("--port", "0", option, value);
  expect(await closed).toEqual([2, null]);
  expect(lines).toEqual([expect.stringMatching(message)]);
});

test("--reset deletes only the sandbox's data, and not while it is in use", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-reset-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "pglite"));
  for (const name of ["encryption.key", "mine.txt", "pglite/PG_VERSION"]) await writeFile(join(folder, name), "");
  const lock = lockFolder(folder);
  await expect(resetData(folder)).rejects.toMatchObject({ code: "data_folder_in_use" });
  expect(await readdir(folder)).toEqual(expect.arrayContaining(["encryption.key", "mine.txt", "pglite"]));
  lock.release();
  await resetData(folder);
  expect((await readdir(folder)).sort()).toEqual(["lock", "mine.txt"]);
});

test("the sandbox exits when the shell in which npm started it has exited", async () => {
  const shell = ["sh", "-c", '"$0" "$@"; :', ...command, "--port", "0", "--data", await createDataFolder()];
  const { child, lines, closed } = startProgram(shell, { npm_config_user_agent: "npm/11.0.0" });
  await eventually("the sandbox is listening", () => lines.some((line) => line.startsWith("sandbox listening on")));
  child.kill("SIGTERM");
  // The output closes only when the sandbox has exited too.
  await closed;
  expect(lines.at(-1)).toMatch(/ stopping$/);
});
