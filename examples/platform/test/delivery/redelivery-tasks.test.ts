import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startRedeliveryLoop } from "../../src/webhooks/redelivery-tasks.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

describe.each(await anyStore())("redelivery tasks on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  test("a redelivery task that always fails does not delay later tasks, and its error is reported", async () => {
    const { store } = fixture;
    const organisation_id = await addOrganisation(store, "http://127.0.0.1:1");
    const laterId = randomUUID();
    const addTask = (id: string, filter: object) =>
      store.db
        .insertInto("redeliveries")
        .values({ id, organisation_id, filter: JSON.stringify(filter), total: 0, last_sequence: 0 })
        .execute();
    await addTask(randomUUID(), { status: "not a number" });
    await addTask(laterId, {});
    fixture.adopt(startRedeliveryLoop(store, (error) => void fixture.errors.push(error)));
    const finished = store.db.selectFrom("redeliveries").select("id").where("finished_at", "is not", null);
    await eventually("the later task is finished", async () => (await finished.execute()).length === 1);
    expect(await finished.execute()).toEqual([{ id: laterId }]);
    expect(fixture.errors.splice(0)).not.toEqual([]);
    await fixture.reset();
  });
});
