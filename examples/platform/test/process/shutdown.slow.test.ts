import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { addOrganisation, openDeliveryFixture, testEncryptionKey } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";

const environment = {
  OFFERS_ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString("base64"),
  OFFERS_ALLOW_LOOPBACK: "1",
  OFFERS_SEED: testSeed,
};

describe.each(await anyStore())("shutdown on $title [D-71]", ({ title, createDatabase }) => {
  const isShared = title !== "PGlite";
  const running: ChildProcess[] = [];
  let database: TestDatabase;
  let receiver: Receiver;
  let deliveryIds: string[];

  beforeEach(async () => {
    database = await createDatabase();
    receiver = await openReceiver();
    const fixture = await openDeliveryFixture(database);
    const organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    deliveryIds = [];
    for (const workerId of ["worker-1", "worker-2"]) {
      const event = { type: "workerAddedContact", data: { workerId } } as const;
      const { deliveryId = "" } = await fixture.store.transaction((trx) => recordEvent(trx, organisationId, event));
      deliveryIds.push(deliveryId);
    }
    await fixture.close();
  });
  afterEach(async () => {
    for (const child of running.splice(0))
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await receiver.close();
    await database.remove();
  });

  const startPlatformProcess = (): PlatformProcess => {
    const platform = startProcess(database, environment);
    running.push(platform.child);
    return platform;
  };
  const listReceivedIds = () => receiver.requests.map(({ headers }) => String(headers["offers-delivery-id"]));
  const readStatus = async (url: string) => (await fetch(url)).status;

  test("a stopping process reports not ready immediately, finishes attempts that get a response in time, and releases the other deliveries", async () => {
    receiver.respond = (request, response) => {
      if (request.url.endsWith("worker-1")) setTimeout(() => respondWith(200)(request, response), 2_000);
    };
    const firstProcess = startPlatformProcess();
    const address = await firstProcess.waitForAddress();
    await eventually("both attempts are in flight", () => receiver.requests.length === 2);
    expect(await readStatus(`${address}/readyz`)).toBe(200);
    firstProcess.child.kill("SIGTERM");
    // Send several signals, as a terminal and a parent process may each send one.
    for (const signal of ["SIGTERM", "SIGINT", "SIGINT"] as const) firstProcess.child.kill(signal);
    await eventually("the process is not ready", async () => (await readStatus(`${address}/readyz`)) === 503);
    expect(await readStatus(`${address}/healthz`)).toBe(200);
    // The pending attempt still gets no response, but later attempts do.
    receiver.respond = respondWith(200);
    const secondProcess = isShared ? startPlatformProcess() : undefined;
    expect(await firstProcess.exited).toEqual({ code: 0, signal: null });

    const nextProcess = secondProcess ?? startPlatformProcess();
    await nextProcess.waitForAddress();
    const [acknowledgedId, releasedId] = deliveryIds;
    await eventually("the released delivery is attempted again", () => listReceivedIds().length === 3);
    expect(listReceivedIds()).toEqual(expect.arrayContaining([acknowledgedId, releasedId]));
    expect(listReceivedIds().at(-1)).toBe(releasedId);
    // The aborted attempt does not count towards the retry schedule.
    await eventually("the acknowledgement is logged", () =>
      nextProcess.output.stdout.includes('"outcome":"acknowledged"'),
    );
    const logLine = nextProcess.output.stdout.split("\n").find((line) => line.includes("delivery.attempted")) ?? "";
    expect(JSON.parse(logLine)).toMatchObject({ deliveryId: releasedId, number: 1, outcome: "acknowledged" });
  });

  test("a stopping process responds to the request that it is receiving", async () => {
    receiver.respond = respondWith(200);
    const { waitForAddress, child, exited } = startPlatformProcess();
    const body = JSON.stringify({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
    const headers = {
      "X-UE-Api-Subscription-Key": "demo-key-harbour",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      Expect: "100-continue",
    };
    const creation = request(`${await waitForAddress()}/offer`, { method: "POST", headers });
    creation.flushHeaders();
    // Wait until the process itself has received the headers, and not only the kernel.
    await once(creation, "continue");
    creation.write(body.slice(0, 20));
    child.kill("SIGTERM");
    setTimeout(() => creation.end(body.slice(20)), 500);
    const [response] = await once(creation, "response");
    expect(response.statusCode).toBe(201);
    expect(JSON.parse(await text(response))).toHaveProperty("id");
    expect(await exited).toEqual({ code: 0, signal: null });
  });
});
