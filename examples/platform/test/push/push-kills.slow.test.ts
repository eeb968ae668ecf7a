import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createFcmTransport, type FcmCredentials } from "../../src/push/fcm-transport.ts";
import { startPush } from "../../src/push/start-push.ts";
import { readFcmCredentials } from "../../src/settings/fcm-credentials.ts";
import { callProcess, signIn } from "../process/call-process.ts";
import { type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { accepted, type FcmResponse, type FcmServer, openFcmServer, rejectWith } from "./fcm-server.ts";

/** Set PUSH_KILLS for a longer run. */
const killCount = Number(process.env.PUSH_KILLS || 30);
const workerIds = ["worker_amal", "worker_ben", "worker_cleo"];
const key = "demo-key-harbour";
const now = (): Date => new Date();

describe.each(await storesUnderTest())("processes that push on $title", ({ createDatabase }) => {
  test(`processes killed ${killCount} times never send an older push after a newer push, and each offer's latest push arrives [D-99]`, {
    timeout: 180_000 + killCount * 30_000,
  }, async () => {
    const database = await createDatabase();
    const server = await openFcmServer();
    server.respond = respondAtRandom;
    const environment = await createEnvironment(database, server);
    const startPlatform = async () => {
      const platform = startProcess(database, environment);
      return { ...platform, platformUrl: await platform.waitForAddress() };
    };
    const processes = [await startPlatform()];
    // Only one process can use PGlite.
    if (database.options.databaseUrl !== undefined) processes.push(await startPlatform());
    await registerPhones(processes[0]?.platformUrl ?? "");
    const activity = new AbortController();
    const progress = { withdrawals: 0 };
    const simulation = simulateHirers(() => pickRandom(processes).platformUrl, progress, activity.signal);
    for (let kill = 0; kill < killCount; kill += 1) {
      const targetCount = progress.withdrawals + 1 + Math.random() * 5;
      await eventually("some offers are withdrawn", () => progress.withdrawals >= targetCount);
      await sleep(Math.random() * 500);
      const killedProcess = pickRandom(processes);
      killedProcess.child.kill("SIGKILL");
      expect(await killedProcess.exited).toMatchObject({ signal: "SIGKILL" });
      processes.splice(processes.indexOf(killedProcess), 1, await startPlatform());
    }
    activity.abort();
    await simulation;
    await Promise.all(processes.map(stop));

    server.respond = () => accepted;
    const fixture = await openDeliveryFixture(database);
    await pushRemaining(fixture, server, await readFcmCredentials(environment.OFFERS_FCM_CREDENTIALS));
    expect(server.order.violations).toEqual([]);
    expect(await findUnnotified(fixture, server)).toEqual([]);
    await fixture.close();
    await server.close();
    await database.remove();
  });
});

/** Accepts half of the messages. The other messages are rejected, get no response or have their connection reset. */
function respondAtRandom(): FcmResponse {
  const number = Math.random();
  if (number < 0.5) return accepted;
  if (number < 0.75) return rejectWith(503, "UNAVAILABLE");
  return number < 0.9 ? null : "reset";
}

/**
 * Writes the push credentials and the server's certificate to the data folder. @returns the environment of a process that connects to the
 * test server instead of Google's servers
 */
async function createEnvironment({ options }: TestDatabase, { port, certificate }: FcmServer) {
  const credentialsFile = join(options.dataFolder, "fcm.json");
  const certificateFile = join(options.dataFolder, "fcm.pem");
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const account = { type: "service_account", project_id: "demo", client_email: "push@demo.example" };
  await writeFile(credentialsFile, JSON.stringify({ ...account, private_key: privateKey }));
  await writeFile(certificateFile, certificate);
  return {
    OFFERS_SEED: testSeed,
    OFFERS_FCM_CREDENTIALS: credentialsFile,
    NODE_EXTRA_CA_CERTS: certificateFile,
    FCM_SERVER_PORT: String(port),
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${join(import.meta.dirname, "lead-to-fcm-server.ts")}`,
  };
}

async function registerPhones(platformUrl: string): Promise<void> {
  for (const workerId of workerIds) {
    const token = await signIn(platformUrl, "/worker-app/session", { workerId });
    const json = { platform: "android", token: `phone-of-${workerId}` };
    expect((await callProcess(platformUrl, "POST", "/worker-app/devices", { token, json })).status).toBe(201);
  }
}

/** Creates offers and withdraws them soon afterwards until `signal` is aborted. Counts the withdrawals in `progress`. */
async function simulateHirers(
  platformUrl: () => string,
  progress: { withdrawals: number },
  signal: AbortSignal,
): Promise<void> {
  const createAndWithdrawOffer = async (): Promise<void> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds };
    const created = await callProcess(platformUrl(), "POST", "/offer", { key, json });
    if (created.status !== 201) return;
    const { id } = await created.json();
    await sleep(Math.random() * 1_500);
    const withdrawn = await callProcess(platformUrl(), "GET", `/offer/${id}/withdraw`, { key });
    if (withdrawn.status === 200) progress.withdrawals += 1;
  };
  const repeatUntilAborted = async (): Promise<void> => {
    // The process may die during a call.
    while (!signal.aborted) await createAndWithdrawOffer().catch(() => sleep(50));
  };
  await Promise.all(Array.from({ length: 3 }, repeatUntilAborted));
}

async function stop({ child, exited }: Pick<PlatformProcess, "child" | "exited">): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** Sends the remaining pushes on a virtual clock, and asserts that no error occurs. */
async function pushRemaining(fixture: DeliveryFixture, server: FcmServer, credentials: FcmCredentials): Promise<void> {
  const onUnregistered = async (): Promise<void> => undefined;
  const transport = createFcmTransport({ credentials, onUnregistered, now, dispatcher: server.dispatcher });
  const push = fixture.adopt(
    startPush({
      store: fixture.store,
      leases: fixture.leases,
      transport,
      onError: (error) => fixture.errors.push(error),
    }),
  );
  const due = fixture.store.db.selectFrom("notifications").select("id").where("due_at", "is not", null);
  await createVirtualTime(fixture, { queue: "pushes" }).advanceUntil(
    async () => (await due.executeTakeFirst()) === undefined,
  );
  await push.stop();
  expect(fixture.errors).toEqual([]);
}

/** Finds phones whose last push about an offer was not the latest notification. */
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

const pickRandom = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
