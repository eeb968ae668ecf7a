import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { addOrganisation, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

const childFile = new URL("../support/record-and-deliver.ts", import.meta.url).pathname;

describe.each(await storesUnderTest())("a process killed with kill -9 on $title", ({ createDatabase }) => {
  test("loses no event that it recorded", async () => {
    const database = await createDatabase();
    const receiver = await openReceiver();
    // When the process dies, some attempts have been acknowledged, some rejected, and some are in flight.
    let count = 0;
    receiver.respond = (request, response) => {
      count += 1;
      if (count % 3 === 0) return;
      respondWith(count % 3 === 1 ? 200 : 500)(request, response);
    };
    const before = await openDeliveryFixture(database);
    const organisationId = await addOrganisation(before.store, receiver.baseAddress);
    await before.close();

    const child = spawn(process.execPath, [childFile, JSON.stringify(database.options), organisationId], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const recorded = await readUntilKilled(child, 60);
    expect(recorded.length).toBeGreaterThanOrEqual(60);

    receiver.respond = respondWith(200);
    const after = await openDeliveryFixture(database);
    after.startDelivery();
    const pending = () => after.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("nothing is pending", async () => (await pending()).length === 0);
    const acknowledged = await after.store.db
      .selectFrom("deliveries")
      .select("id")
      .where("state", "=", "acknowledged")
      .execute();
    const delivered = new Set(receiver.requests.map(({ headers }) => headers["offers-delivery-id"]));
    const lost = recorded.filter((id) => !delivered.has(id) || !acknowledged.some((row) => row.id === id));
    expect(lost).toEqual([]);
    await after.close();
    await receiver.close();
    await database.remove();
  });
});

/** Collects the delivery ids that the child prints after each commit, and kills it after `enough` of them. */
async function readUntilKilled(child: ChildProcess, enough: number): Promise<string[]> {
  if (child.stdout === null) throw new Error("the child has no output");
  const exited = once(child, "exit");
  const ids: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    ids.push(line);
    if (ids.length === enough) child.kill("SIGKILL");
  }
  await exited;
  expect(child.signalCode).toBe("SIGKILL");
  return ids;
}
