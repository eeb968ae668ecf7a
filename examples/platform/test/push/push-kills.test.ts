import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type FcmCredentials, readFcmCredentials } from "../../src/push/fcm-credentials.ts";
import { fcmTransport } from "../../src/push/fcm-transport.ts";
import { startPush } from "../../src/push/start-push.ts";
import { callProcess, signIn } from "../process/call-process.ts";
import { eventually } from "../support/eventually.ts";
import { type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";
import { virtualTime } from "../support/virtual-time.ts";
import { accepted, type FcmAnswer, type FcmServer, openFcmServer, refusedAs } from "./fcm-server.ts";

/** More of them for a long run by hand. */
const kills = Number(process.env.PUSH_KILLS || 30);
const workerIds = ["worker_amal", "worker_ben", "worker_cleo"];
const key = "demo-key-harbour";
const now = (): Date => new Date();

describe.each(await storesUnderTest())("processes that push on $title", ({ createPlace }) => {
  test(`overtake nothing while they are killed with kill -9, ${kills} times, and the latest of each offer arrives`, {
    timeout: 180_000 + kills * 30_000,
  }, async () => {
    const place = await createPlace();
    const server = await openFcmServer();
    server.answer = answerAnyhow;
    const environment = await settingsFor(place, server);
    const start = async () => {
      const running = startProcess(place, environment);
      return { ...running, base: await running.address() };
    };
    const processes = [await start()];
    // PGlite's folder is one process's.
    if (place.options.databaseUrl !== undefined) processes.push(await start());
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

    server.answer = () => accepted;
    const half = await openLowerHalf(place);
    await pushTheRest(half, server, await readFcmCredentials(environment.OFFERS_FCM_CREDENTIALS));
    expect(server.order.faults).toEqual([]);
    expect(await findUntold(half, server)).toEqual([]);
    await half.close();
    await server.close();
    await place.remove();
  });
});

/** Half of the messages are not taken, or not at once. */
function answerAnyhow(): FcmAnswer {
  const number = Math.random();
  if (number < 0.5) return accepted;
  if (number < 0.75) return refusedAs(503, "UNAVAILABLE");
  return number < 0.9 ? null : "reset";
}

/** Of a process that takes the test's server for Google's. */
async function settingsFor({ options }: StorePlace, { port, certificate }: FcmServer) {
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
    ...{ OFFERS_SEED: testSeed, OFFERS_FCM_CREDENTIALS: credentials },
    ...{ NODE_EXTRA_CA_CERTS: authority, FCM_SERVER_PORT: String(port) },
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

/** Creates offers and withdraws them soon, until it is told to end. */
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
      // The process that is asked may just die.
      await act().catch(() => sleep(50));
  };
  await Promise.all(Array.from({ length: 3 }, keep));
}

async function stop({ child, exited }: Pick<PlatformProcess, "child" | "exited">): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** As one more process, whose time passes quickly. */
async function pushTheRest(half: LowerHalf, server: FcmServer, credentials: FcmCredentials): Promise<void> {
  const onUnregistered = async (): Promise<void> => undefined;
  const transport = fcmTransport({ credentials, onUnregistered, now, dispatcher: server.dispatcher });
  const push = half.adopt(
    startPush({ store: half.store, leases: half.leases, transport, onError: (error) => half.errors.push(error) }),
  );
  const due = half.store.db.selectFrom("notifications").select("id").where("due_at", "is not", null);
  await virtualTime(half, { queue: "pushes" }).until(async () => (await due.executeTakeFirst()) === undefined);
  await push.stop();
  expect(half.errors).toEqual([]);
}

/** @returns the phones and offers of which the server was not told the latest last */
async function findUntold({ store: { db } }: LowerHalf, { messages }: FcmServer) {
  const latest = await db
    .selectFrom("notifications")
    .innerJoin("devices", "devices.id", "device_id")
    .select(({ fn }) => ["token", "offer_id", fn.max("notifications.id").as("id")])
    .where("token", "is not", null)
    .groupBy(["token", "offer_id"])
    .execute();
  const told = new Map(messages.map(({ token, data }) => [`${token} ${data.offerId}`, Number(data.sequence)]));
  return latest.filter(({ token, offer_id, id }) => told.get(`${token} ${offer_id}`) !== id);
}

const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
