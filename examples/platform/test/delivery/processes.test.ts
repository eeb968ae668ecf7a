import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { callProcess, type ProcessCall, signIn } from "../process/call-process.ts";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
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

describe.each(await storesUnderTest())("several processes on $title", ({ title, createPlace }) => {
  // PGlite serves one.
  const count = title === "PGlite" ? 1 : 3;
  let place: StorePlace;
  let receiver: Receiver;
  let processes: PlatformProcess[] = [];

  beforeEach(async () => {
    place = await createPlace();
    await countSettlements(place);
    receiver = await openReceiver();
    processes = Array.from({ length: count }, () => startProcess(place, environment));
  });
  afterEach(async () => {
    await killAll();
    await receiver.close();
    await place.remove();
  });

  const killAll = async (): Promise<void> => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.splice(0).map(({ exited }) => exited));
  };
  const killOne = async (): Promise<void> => {
    const [killed] = processes.splice(Math.floor(Math.random() * processes.length), 1);
    killed?.child.kill("SIGKILL");
    await killed?.exited;
    processes.push(startProcess(place, environment));
  };
  /** Of any process that is up, however often it takes. */
  const insist = async (method: string, path: string, call: ProcessCall): Promise<Response> => {
    for (;;) {
      const one = processes[Math.floor(Math.random() * processes.length)];
      const answered = one?.address().then((address) => callProcess(address, method, path, call));
      const answer = await answered?.catch(() => undefined);
      if (answer !== undefined && answer.status < 500) return answer;
      await sleep(20);
    }
  };
  /** Lets harbour have an endpoint, and signs everybody in. */
  const enter = async (): Promise<{ person: string; workers: string[] }> => {
    const [address = ""] = await Promise.all(processes.map((each) => each.address()));
    const person = await signIn(address, "/portal/session", { emailAddress: "hana@harbour-hotels.example" });
    const profile = { baseAddress: receiver.baseAddress, secret: "a secret of harbour's", suggestsContacts: false };
    expect((await insist("PUT", "/portal/profile", { token: person, json: profile })).status).toBe(200);
    const workers = workerIds.map((workerId) => signIn(address, "/worker-app/session", { workerId }));
    return { person, workers: await Promise.all(workers) };
  };
  const createOffer = async (name: string): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: name, workerIds };
    const headers = { "Idempotency-Key": name };
    return (await (await insist("POST", "/offer", { key: "demo-key-harbour", headers, json })).json()).id;
  };
  const answer = async (offerId: string, token: string, word: "apply" | "reject"): Promise<void> =>
    expect((await insist("POST", `/worker-app/offers/${offerId}/${word}`, { token })).status).toBe(204);
  /** What a process that died or stands still had claimed comes back after a while. */
  const acknowledged = async (token: string, told: number): Promise<void> => {
    for (;;) {
      const { deliveries } = await (await insist("GET", "/portal/deliveries", { token })).json();
      const states: string[] = deliveries.map(({ state }: { state: string }) => state);
      if (states.filter((state) => state === "acknowledged").length === told) return;
      await sleep(50);
    }
  };

  test("any of which is killed at any time settle each delivery once, with attempts that count up", async () => {
    const { person, workers } = await enter();
    // Every third request is refused, and answers take a while: there is always an attempt under way.
    let requests = 0;
    receiver.answer = (request, response) => {
      requests += 1;
      const answerNow = answerWith(requests % 3 === 0 ? 500 : 200);
      setTimeout(() => answerNow(request, response), 30);
    };
    const offers = 12;
    for (let number = 0; number < offers; number += 1) {
      const offerId = await createOffer(`Shift ${number}`);
      const answered = workers.map(async (token) => {
        await answer(offerId, token, "apply");
        await answer(offerId, token, "reject");
      });
      if (number % 3 === 1) await killOne();
      await Promise.all(answered);
    }
    const told = offers * workerIds.length * 2;
    await acknowledged(person, told);
    await killAll();
    await expectSettledOnce(place, told);
    await expectCountedAttempts(place, told);
  });

  test("of which some stand still for a while settle each delivery once", async () => {
    const { person, workers } = await enter();
    receiver.answer = (request, response) => void setTimeout(() => answerWith(200)(request, response), 700);
    const offerIds = await Promise.all(["Bar", "Kitchen"].map(createOffer));
    await Promise.all(offerIds.flatMap((offerId) => workers.map((token) => answer(offerId, token, "apply"))));
    await eventually("attempts are under way", () => receiver.requests.length > 2);
    // With attempts under way, whose claims lapse meanwhile; where there is but one process it just stops for a moment.
    const all = [...processes];
    const still = all.slice(0, Math.max(1, count - 1));
    for (const { child } of still) child.kill("SIGSTOP");
    processes = all.filter((each) => !still.includes(each));
    const told = offerIds.length * workerIds.length;
    if (processes.length > 0) await acknowledged(person, told);
    for (const { child } of still) child.kill("SIGCONT");
    processes = all;
    await acknowledged(person, told);
    // Whatever they hold they finish now.
    for (const { child } of all) child.kill("SIGTERM");
    for (const { exited } of all) expect(await exited).toEqual({ code: 0, signal: null });
    await expectSettledOnce(place, told);
  });
});

const open = ({ options }: StorePlace) => openStore({ ...options, onError: () => undefined });

/** Notes each time that a delivery is said to be settled, whoever says so. */
async function countSettlements(place: StorePlace): Promise<void> {
  const store = await open(place);
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

async function expectSettledOnce(place: StorePlace, told: number): Promise<void> {
  const store = await open(place);
  const { rows } = await sql<{ times: number }>`
    select count(*) as times from settlements group by delivery_id`.execute(store.db);
  await store.close();
  expect(rows.map(({ times }) => Number(times))).toEqual(Array.from({ length: told }, () => 1));
}

/** Each delivery has as many attempts as it counts. */
async function expectCountedAttempts(place: StorePlace, told: number): Promise<void> {
  const store = await open(place);
  const rows = await store.db
    .selectFrom("deliveries")
    .innerJoin("attempts", "delivery_id", "deliveries.id")
    .select("deliveries.attempts as counted")
    .select(({ fn }) => fn.countAll<number>().as("stored"))
    .groupBy("deliveries.id")
    .execute();
  await store.close();
  expect(rows.map(({ stored }) => Number(stored))).toEqual(rows.map(({ counted }) => counted));
  expect(rows).toHaveLength(told);
}
