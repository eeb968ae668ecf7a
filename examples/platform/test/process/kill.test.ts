import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, openLowerHalf } from "../support/lower-half.ts";
import { answerWith, openReceiver } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

const childFile = new URL("../support/record-and-deliver.ts", import.meta.url).pathname;

describe.each(await storesUnderTest())("a process killed with kill -9 on $title", ({ createPlace }) => {
  test("loses no event that it had recorded", async () => {
    const place = await createPlace();
    const receiver = await openReceiver();
    // Some are acknowledged, some refused, some under way when the process dies.
    let count = 0;
    receiver.answer = (request, reply) => {
      count += 1;
      if (count % 3 === 0) return;
      answerWith(count % 3 === 1 ? 200 : 500)(request, reply);
    };
    const before = await openLowerHalf(place);
    const organisationId = await addOrganisation(before.store, receiver.baseAddress);
    await before.close();

    const child = spawn(process.execPath, [childFile, JSON.stringify(place.options), organisationId], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const recorded = await readUntilKilled(child, 60);
    expect(recorded.length).toBeGreaterThanOrEqual(60);

    receiver.answer = answerWith(200);
    const after = await openLowerHalf(place);
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
    await place.remove();
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
