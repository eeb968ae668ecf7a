import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type FcmCredentials, fcmTransport } from "../../src/push/fcm-transport.ts";
import { startPush } from "../../src/push/start-push.ts";
import { readFcmCredentials } from "../../src/settings/fcm-credentials.ts";
import { callProcess, signIn } from "../process/call-process.ts";
import { type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";
import { virtualTime } from "../support/virtual-time.ts";
import { accepted, type FcmResponse, type FcmServer, openFcmServer, refusedAs } from "./fcm-server.ts";

/** Set PUSH_KILLS for a longer run. */
const kills = Number(process.env.PUSH_KILLS || 30);
const workerIds = ["worker_amal", "worker_ben", "worker_cleo"];
const key = "demo-key-harbour";
const now = (): Date => new Date();

describe.each(await storesUnderTest())("processes that push on $title", ({ createDatabase }) => {
  test(`never send an older push after a newer one while they are killed ${kills} times, and the latest of each offer arrives [D-99]`, {
    timeout: 180_000 + kills * 30_000,
  }, async () => {
    const database = await createDatabase();
    const server = await openFcmServer();
    server.respond = respondAtRandom;
    const environment = await settingsFor(database, server);
    const start = async () => {
      const running = startProcess(database, environment);
      return { ...running, base: await running.address() };
    };
    const processes = [await start()];
    // PGlite serves one process.
    if (database.options.databaseUrl !== undefined) processes.push(await start());
    await registerPhones(processes[0]?.base ?? "");
    const acting = new AbortController();
    const progress = { withdrawals: 0 };
    const acted = keepActing(() => anyOf(processes).base, progress, acting.signal);
    for (let killed = 0; killed < kills; killed += 1) {
      const enough = progress.withdrawals + 1 + Math.random() * 5;
      await eventually("some are withdrawn", () => progress.withdrawals >= enough);
      await sleep(Math.random() * 500);
      const dying = anyOf(processes);
      dying.child.kill("SIGKILL");
      expect(await dying.exited).toMatchObject({ signal: "SIGKILL" });
      processes.splice(processes.indexOf(dying), 1, await start());
    }
    acting.abort();
    await acted;
    await Promise.all(processes.map(stop));

    server.respond = () => accepted;
    const fixture = await openDeliveryFixture(database);
    await pushTheRest(fixture, server, await readFcmCredentials(environment.OFFERS_FCM_CREDENTIALS));
    expect(server.order.faults).toEqual([]);
    expect(await findUnnotified(fixture, server)).toEqual([]);
    await fixture.close();
    await server.close();
    await database.remove();
  });
});

/** Accepts half of the messages; the others are rejected, dropped or get no response. */
function respondAtRandom(): FcmResponse {
  const number = Math.random();
  if (number < 0.5) return accepted;
  if (number < 0.75) return refusedAs(503, "UNAVAILABLE");
  return number < 0.9 ? null : "reset";
}

/** Returns the environment of a process that connects to the test's server instead of Google's. */
async function settingsFor({ options }: TestDatabase, { port, certificate }: FcmServer) {
  const [credentials, authority] = ["fcm.json", "fcm.pem"].map((name) => join(options.dataFolder, name)) as [
    string,
    string,
  ];
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const account = { type: "service_account", project_id: "demo", client_email: "push@demo.example" };
  await writeFile(credentials, JSON.stringify({ ...account, private_key: privateKey }));
  await writeFile(authority, certificate);
  return {
    OFFERS_SEED: testSeed,
    OFFERS_FCM_CREDENTIALS: credentials,
    NODE_EXTRA_CA_CERTS: authority,
    FCM_SERVER_PORT: String(port),
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${join(import.meta.dirname, "lead-to-fcm-server.ts")}`,
  };
}

async function registerPhones(base: string): Promise<void> {
  for (const workerId of workerIds) {
    const token = await signIn(base, "/worker-app/session", { workerId });
    const json = { platform: "android", token: `phone-of-${workerId}` };
    expect((await callProcess(base, "POST", "/worker-app/devices", { token, json })).status).toBe(201);
  }
}

/** Creates offers and withdraws them soon afterwards, until `signal` is aborted. */
async function keepActing(base: () => string, progress: { withdrawals: number }, signal: AbortSignal): Promise<void> {
  const act = async (): Promise<void> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds };
    const created = await callProcess(base(), "POST", "/offer", { key, json });
    if (created.status !== 201) return;
    const { id } = await created.json();
    await sleep(Math.random() * 1_500);
    const withdrawn = await callProcess(base(), "GET", `/offer/${id}/withdraw`, { key });
    if (withdrawn.status === 200) progress.withdrawals += 1;
  };
  const keep = async (): Promise<void> => {
    while (!signal.aborted)
      // The process may die during the call.
      await act().catch(() => sleep(50));
  };
  await Promise.all(Array.from({ length: 3 }, keep));
}

async function stop({ child, exited }: Pick<PlatformProcess, "child" | "exited">): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** Pushes everything that is left, on a virtual clock. */
async function pushTheRest(fixture: DeliveryFixture, server: FcmServer, credentials: FcmCredentials): Promise<void> {
  const onUnregistered = async (): Promise<void> => undefined;
  const transport = fcmTransport({ credentials, onUnregistered, now, dispatcher: server.dispatcher });
  const push = fixture.adopt(
    startPush({
      store: fixture.store,
      leases: fixture.leases,
      transport,
      onError: (error) => fixture.errors.push(error),
    }),
  );
  const due = fixture.store.db.selectFrom("notifications").select("id").where("due_at", "is not", null);
  await virtualTime(fixture, { queue: "pushes" }).advanceUntil(
    async () => (await due.executeTakeFirst()) === undefined,
  );
  await push.stop();
  expect(fixture.errors).toEqual([]);
}

/** Finds the phones and offers whose last push was not the latest. */
async function findUnnotified({ store: { db } }: DeliveryFixture, { messages }: FcmServer) {
  const latest = await db
    .selectFrom("notifications")
    .innerJoin("devices", "devices.id", "device_id")
    .select(({ fn }) => ["token", "offer_id", fn.max("notifications.id").as("id")])
    .where("token", "is not", null)
    .groupBy(["token", "offer_id"])
    .execute();
  const lastPushed = new Map(messages.map(({ token, data }) => [`${token} ${data.offerId}`, Number(data.sequence)]));
  return latest.filter(({ token, offer_id, id }) => lastPushed.get(`${token} ${offer_id}`) !== id);
}

const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
