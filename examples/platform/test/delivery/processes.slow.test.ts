import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { callProcess, type ProcessCall, signIn } from "../process/call-process.ts";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { postgresBehindPgBouncer } from "../support/stores/pgbouncer.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";

vi.setConfig({ testTimeout: 180_000 });

const workerIds = ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"];
const environment = {
  OFFERS_SEED: testSeed,
  OFFERS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  OFFERS_ALLOW_LOOPBACK: "1",
  OFFERS_RATE_LIMIT: "off",
  OFFERS_PERSON_RATE_LIMIT: "off",
  OFFERS_RETRY_SCHEDULE: Array.from({ length: 30 }, () => "200ms").join(),
};

const stores = [...(await storesUnderTest()), await postgresBehindPgBouncer()];

describe.each(stores)("several processes on $title", ({ title, createDatabase }) => {
  // Only one process can use PGlite.
  const processCount = title === "PGlite" ? 1 : 3;
  let database: TestDatabase;
  let receiver: Receiver;
  let processes: PlatformProcess[] = [];

  beforeEach(async () => {
    database = await createDatabase();
    await createSettlementTrigger(database);
    receiver = await openReceiver();
    processes = Array.from({ length: processCount }, () => startProcess(database, environment));
  });
  afterEach(async () => {
    await killAll();
    await receiver.close();
    await database.remove();
  });

  const killAll = async (): Promise<void> => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.splice(0).map(({ exited }) => exited));
  };
  const killAndReplaceOne = async (): Promise<void> => {
    const [killed] = processes.splice(Math.floor(Math.random() * processes.length), 1);
    killed?.child.kill("SIGKILL");
    await killed?.exited;
    processes.push(startProcess(database, environment));
  };
  /** Calls random processes until one of them responds without a server error. */
  const callUntilResponse = async (method: string, path: string, call: ProcessCall): Promise<Response> => {
    for (;;) {
      const target = processes[Math.floor(Math.random() * processes.length)];
      const pendingResponse = target?.waitForAddress().then((address) => callProcess(address, method, path, call));
      const response = await pendingResponse?.catch(() => undefined);
      if (response !== undefined && response.status < 500) return response;
      await sleep(20);
    }
  };
  /** Signs in Hana and the workers, and saves Harbour Hotels' endpoint. @returns their tokens */
  const saveEndpointAndSignIn = async (): Promise<{ personToken: string; workerTokens: string[] }> => {
    const [address = ""] = await Promise.all(processes.map((process) => process.waitForAddress()));
    const personToken = await signIn(address, "/portal/session", { emailAddress: "hana@harbour-hotels.example" });
    const profile = { baseAddress: receiver.baseAddress, secret: "a secret of harbour's", suggestsContacts: false };
    expect((await callUntilResponse("PUT", "/portal/profile", { token: personToken, json: profile })).status).toBe(200);
    const workerSignIns = workerIds.map((workerId) => signIn(address, "/worker-app/session", { workerId }));
    return { personToken, workerTokens: await Promise.all(workerSignIns) };
  };
  const createOffer = async (name: string): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: name, workerIds };
    const headers = { "Idempotency-Key": name };
    return (await (await callUntilResponse("POST", "/offer", { key: "demo-key-harbour", headers, json })).json()).id;
  };
  const respondTo = async (offerId: string, token: string, action: "apply" | "reject"): Promise<void> =>
    expect((await callUntilResponse("POST", `/worker-app/offers/${offerId}/${action}`, { token })).status).toBe(204);
  /** Waits until `count` deliveries are acknowledged, which requires that the leases of killed or frozen processes expire. */
  const waitForAcknowledged = async (token: string, count: number): Promise<void> => {
    for (;;) {
      const { deliveries } = await (await callUntilResponse("GET", "/portal/deliveries", { token })).json();
      const states: string[] = deliveries.map(({ state }: { state: string }) => state);
      if (states.filter((state) => state === "acknowledged").length === count) return;
      await sleep(50);
    }
  };

  test("several processes settle each delivery once, with consecutive attempt numbers, while they are killed at random [D-70]", async () => {
    const { personToken, workerTokens } = await saveEndpointAndSignIn();
    // Every third request fails, and responses take 30 ms, so that an attempt is always in flight.
    let requestCount = 0;
    receiver.respond = (request, response) => {
      requestCount += 1;
      const respond = respondWith(requestCount % 3 === 0 ? 500 : 200);
      setTimeout(() => respond(request, response), 30);
    };
    const offerCount = 12;
    for (let number = 0; number < offerCount; number += 1) {
      const offerId = await createOffer(`Shift ${number}`);
      const responses = workerTokens.map(async (token) => {
        await respondTo(offerId, token, "apply");
        await respondTo(offerId, token, "reject");
      });
      if (number % 3 === 1) await killAndReplaceOne();
      await Promise.all(responses);
    }
    const deliveryCount = offerCount * workerIds.length * 2;
    await waitForAcknowledged(personToken, deliveryCount);
    await killAll();
    await expectSettledOnce(database, deliveryCount);
    await expectAttemptCountsMatch(database, deliveryCount);
  });

  test("several processes settle each delivery once while some of them are frozen", async () => {
    const { personToken, workerTokens } = await saveEndpointAndSignIn();
    receiver.respond = (request, response) => void setTimeout(() => respondWith(200)(request, response), 700);
    const offerIds = await Promise.all(["Bar", "Kitchen"].map(createOffer));
    await Promise.all(offerIds.flatMap((offerId) => workerTokens.map((token) => respondTo(offerId, token, "apply"))));
    await eventually("attempts are under way", () => receiver.requests.length > 2);
    // Freeze processes during attempts, so that their leases expire. A single process freezes only for a moment.
    const allProcesses = [...processes];
    const frozenProcesses = allProcesses.slice(0, Math.max(1, processCount - 1));
    for (const { child } of frozenProcesses) child.kill("SIGSTOP");
    processes = allProcesses.filter((process) => !frozenProcesses.includes(process));
    const deliveryCount = offerIds.length * workerIds.length;
    if (processes.length > 0) await waitForAcknowledged(personToken, deliveryCount);
    for (const { child } of frozenProcesses) child.kill("SIGCONT");
    processes = allProcesses;
    await waitForAcknowledged(personToken, deliveryCount);
    // The processes finish their attempts before they exit.
    for (const { child } of allProcesses) child.kill("SIGTERM");
    for (const { exited } of allProcesses) expect(await exited).toEqual({ code: 0, signal: null });
    await expectSettledOnce(database, deliveryCount);
  });
});

const openTestStore = ({ options }: TestDatabase) => openStore({ ...options, onError: () => undefined });

/** Creates a trigger that counts how many times each delivery is settled. */
async function createSettlementTrigger(database: TestDatabase): Promise<void> {
  const store = await openTestStore(database);
  await sql`create table settlements (delivery_id text not null)`.execute(store.db);
  await sql`
    create function count_settlement() returns trigger language plpgsql as $$
    begin
      insert into settlements values (new.id);
      return null;
    end $$`.execute(store.db);
  await sql`
    create trigger count_settlement after update of state on deliveries for each row
    when (new.state in ('acknowledged', 'dead')) execute function count_settlement()`.execute(store.db);
  await store.close();
}

/** Asserts that `count` deliveries were settled, each exactly once. */
async function expectSettledOnce(database: TestDatabase, count: number): Promise<void> {
  const store = await openTestStore(database);
  const { rows } = await sql<{ times: number }>`
    select count(*) as times from settlements group by delivery_id`.execute(store.db);
  await store.close();
  expect(rows.map(({ times }) => Number(times))).toEqual(Array.from({ length: count }, () => 1));
}

/** Asserts that `count` deliveries have attempts, and that each one's `attempts` column is the number of its stored attempts. */
async function expectAttemptCountsMatch(database: TestDatabase, count: number): Promise<void> {
  const store = await openTestStore(database);
  const rows = await store.db
    .selectFrom("deliveries")
    .innerJoin("attempts", "delivery_id", "deliveries.id")
    .select("deliveries.attempts as counted")
    .select(({ fn }) => fn.countAll<number>().as("stored"))
    .groupBy(["deliveries.id", "deliveries.attempts"])
    .execute();
  await store.close();
  expect(rows.map(({ stored }) => Number(stored))).toEqual(rows.map(({ counted }) => counted));
  expect(rows).toHaveLength(count);
}
