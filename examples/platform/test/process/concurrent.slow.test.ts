import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";
import { callProcess, signIn } from "./call-process.ts";

describe.each(await anyStore())("simultaneous requests on $title", ({ title, createDatabase }) => {
  let database: TestDatabase;
  let processes: PlatformProcess[];
  let addresses: string[];
  beforeAll(async () => {
    database = await createDatabase();
    const environment = { OFFERS_SEED: testSeed, OFFERS_RATE_LIMIT: "off", OFFERS_PERSON_RATE_LIMIT: "off" };
    // Only one process can use PGlite.
    const processCount = title === "PGlite" ? 1 : 2;
    processes = Array.from({ length: processCount }, () => startProcess(database, environment));
    addresses = await Promise.all(processes.map((process) => process.waitForAddress()));
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
    await database.remove();
  });

  test("a hundred creations with one idempotency key, sent to all processes, create one offer", async () => {
    const json = { createdByUserId: "user_hana", title: "One of a hundred", workerIds: ["worker_amal"] };
    const headers = { "Idempotency-Key": "a hundred times" };
    const responses = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const address = addresses[index % addresses.length] ?? "";
        const response = await callProcess(address, "POST", "/offer", { key: "demo-key-harbour", headers, json });
        const isReplayed = response.headers.get("idempotency-replayed") === "true";
        return { status: response.status, body: await response.text(), isReplayed };
      }),
    );
    const [{ body } = { body: "" }] = responses;
    expect(responses.filter((response) => response.status === 201 && response.body === body)).toHaveLength(100);
    expect(responses.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);

    const [address = ""] = addresses;
    const token = await signIn(address, "/portal/session", { emailAddress: "hana@harbour-hotels.example" });
    const { offers } = await (await callProcess(address, "GET", "/portal/offers", { token })).json();
    expect(offers).toMatchObject([{ id: JSON.parse(body).id, title: "One of a hundred" }]);
    const workerToken = await signIn(address, "/worker-app/session", { workerId: "worker_amal" });
    const notificationsResponse = await callProcess(address, "GET", "/worker-app/notifications", {
      token: workerToken,
    });
    expect((await notificationsResponse.json()).notifications).toHaveLength(1);
  });
});
