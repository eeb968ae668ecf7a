import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { addOrganisation, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

const childFile = new URL("../support/record-and-deliver.ts", import.meta.url).pathname;

describe.each(await storesUnderTest())("processes killed with kill -9 on $title", ({ createDatabase }) => {
  test("events recorded by a process are not lost when it is killed with kill -9", async () => {
    const database = await createDatabase();
    const receiver = await openReceiver();
    // When the process dies, some attempts have been acknowledged, some rejected, and others are in flight.
    let requestCount = 0;
    receiver.respond = (request, response) => {
      requestCount += 1;
      if (requestCount % 3 === 0) return;
      respondWith(requestCount % 3 === 1 ? 200 : 500)(request, response);
    };
    const setupFixture = await openDeliveryFixture(database);
    const organisationId = await addOrganisation(setupFixture.store, receiver.baseAddress);
    await setupFixture.close();

    const child = spawn(process.execPath, [childFile, JSON.stringify(database.options), organisationId], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const recordedIds = await readUntilKilled(child, 60);
    expect(recordedIds.length).toBeGreaterThanOrEqual(60);

    receiver.respond = respondWith(200);
    const fixture = await openDeliveryFixture(database);
    fixture.startDelivery();
    const readPending = () =>
      fixture.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("no delivery is pending", async () => (await readPending()).length === 0);
    const acknowledgedRows = await fixture.store.db
      .selectFrom("deliveries")
      .select("id")
      .where("state", "=", "acknowledged")
      .execute();
    const receivedIds = new Set(receiver.requests.map(({ headers }) => headers["offers-delivery-id"]));
    const lostIds = recordedIds.filter((id) => !receivedIds.has(id) || !acknowledgedRows.some((row) => row.id === id));
    expect(lostIds).toEqual([]);
    await fixture.close();
    await receiver.close();
    await database.remove();
  });
});

/** Kills the child once it has printed `killAfter` delivery ids. @returns all ids that the child printed */
async function readUntilKilled(child: ChildProcess, killAfter: number): Promise<string[]> {
  if (child.stdout === null) throw new Error("The child's output is not piped.");
  const exited = once(child, "exit");
  const ids: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    ids.push(line);
    if (ids.length === killAfter) child.kill("SIGKILL");
  }
  await exited;
  expect(child.signalCode).toBe("SIGKILL");
  return ids;
}
