import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type PlatformProcess, startProcess } from "./platform-process.ts";
import { type StorePlace, storesUnderTest } from "./stores.ts";
import { testSeed } from "./test-seed.ts";

const [store] = await storesUnderTest();
const running: ChildProcess[] = [];
const places: StorePlace[] = [];

async function createPlace(): Promise<StorePlace> {
  const place = await store?.createPlace();
  if (place === undefined) throw new Error("there is always a store");
  places.push(place);
  return place;
}

function start(place: StorePlace, environment: Record<string, string> = {}): PlatformProcess {
  const started = startProcess(place, environment);
  running.push(started.child);
  return started;
}

afterEach(async () => {
  for (const child of running.splice(0))
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  for (const place of places.splice(0)) await place.remove();
});

describe("the platform's process", () => {
  test("says where it listens, and stops on request with what it was told kept", async () => {
    const place = await createPlace();
    const first = start(place, { OFFERS_SEED: testSeed });
    const headers = { "X-UE-Api-Subscription-Key": "demo-key-harbour", "Content-Type": "application/json" };
    const body = JSON.stringify({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
    const created = await fetch(`${await first.address()}/offer`, { method: "POST", headers, body });
    expect(created.status).toBe(201);
    expect(first.output.stdout).toContain(`(store PGlite in ${place.options.dataFolder})`);
    expect(first.output.stdout).toContain(`sign in to the portal at ${await first.address()}/ as hana@`);
    first.child.kill("SIGTERM");
    expect(await first.exited).toEqual({ code: 0, signal: null });
    for (const line of first.output.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");

    // The seed again, over what is there.
    const second = start(place, { OFFERS_SEED: testSeed });
    const read = await fetch((await second.address()) + created.headers.get("location"), { headers });
    expect(await read.json()).toMatchObject({ title: "Bar", recipients: [{ workerId: "worker_amal" }] });
    second.child.kill("SIGINT");
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });

  test("does not start with another seal key than its secrets were sealed with, and says so in one line", async () => {
    const place = await createPlace();
    const first = start(place);
    await first.address();
    first.child.kill("SIGTERM");
    await first.exited;
    const second = start(place, { OFFERS_SEAL_KEY: Buffer.alloc(32, 1).toString("base64") });
    expect((await second.exited).code).toBe(1);
    expect(second.output.stderr).toMatch(/^platform did not start: OFFERS_SEAL_KEY is not the key that .*\n$/);
    await rm(join(place.options.dataFolder, "seal.key"));
    const third = start(place);
    expect((await third.exited).code).toBe(1);
    expect(third.output.stderr).toMatch(/^platform did not start: \S+seal\.key is not the key that .*\n$/);
  });

  test("does not start on a data folder in use, nor on a port in use, and says so in one line", async () => {
    const place = await createPlace();
    const first = start(place);
    const { port } = new URL(await first.address());
    const sameFolder = start(place);
    const samePort = start(await createPlace(), { PORT: port });
    expect((await sameFolder.exited).code).toBe(1);
    expect(sameFolder.output.stderr).toMatch(/^platform did not start: the data folder \S+ is in use by another .*\n$/);
    expect((await samePort.exited).code).toBe(1);
    expect(samePort.output.stderr).toMatch(/^platform did not start: the port is in use; .* PORT\n$/);
  });

  const itself = import.meta.filename;
  test.each([
    [{ PORT: "http" }, /^platform did not start: PORT is not usable; .*\n$/],
    [
      { OFFERS_DIALECT: "dead" },
      /^platform did not start: OFFERS_DIALECT is not usable; write one of reference, live\n$/,
    ],
    [{ OFFERS_SEED: "missing.json" }, /^platform did not start: OFFERS_SEED names missing.json, .*\n$/],
    [{ OFFERS_SEAL_KEY: "short" }, /^platform did not start: OFFERS_SEAL_KEY is not 32 bytes in base64; .*\n$/],
    [
      { DATABASE_URL: "postgres://nobody:s3cret@127.0.0.1:1/x" },
      /^platform did not start: the database at DATABASE_URL cannot be used \(ECONNREFUSED\); does it run\?\n$/,
    ],
    [
      { DATABASE_URL: "postgres://nobody:s3cret@127.0.0.1:1/x?sslrootcert=/s3cret" },
      /^platform did not start: the database at DATABASE_URL cannot be used \(ENOENT\); does it run\?\n$/,
    ],
    [
      { OFFERS_DATA: itself },
      /^platform did not start: OFFERS_DATA: \S+ cannot be the data folder \(EEXIST\); name a folder to write in\n$/,
    ],
    [
      { OFFERS_DATA: `${itself}/below` },
      /^platform did not start: OFFERS_DATA: \S+ cannot be the data folder \(ENOTDIR\); name a folder to write in\n$/,
    ],
  ])("does not start with %o", async (environment, message) => {
    const { exited, output } = start(await createPlace(), environment);
    expect((await exited).code).toBe(1);
    expect(output.stderr).toMatch(message);
  });
});
