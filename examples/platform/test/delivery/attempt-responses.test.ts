import { describe, expect, test } from "vitest";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { hangUp, openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

describe.each(await anyStore())("attempts on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  test("an attempt is stored with the start of its response, without characters that cannot be stored", async () => {
    const responses = [
      respondWith(500, { "content-type": "text/html; charset=utf-8" }, `a\0b${"ü".repeat(5_000)}`),
      respondWith(500, {}, Buffer.from([0xff, 0x61]).toString("latin1")),
      hangUp,
      respondWith(200),
    ];
    const receiver = await openReceiver((request, response) => responses.shift()?.(request, response));
    const organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    const event = { type: "workerAddedContact", data: { workerId: "worker-1" } } as const;
    await fixture.store.transaction((trx) => recordEvent(trx, organisationId, event));
    fixture.startDelivery();
    await eventually("the delivery is acknowledged", () =>
      fixture.attempts.some(({ outcome }) => outcome === "acknowledged"),
    );
    const rows = await fixture.store.db
      .selectFrom("attempts")
      .select(["status", "content_type", "response"])
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      { status: 500, content_type: "text/html; charset=utf-8", response: `a\ufffdb${"ü".repeat(2_046)}` },
      { status: 500, content_type: null, response: "ÿa" },
      { status: null, content_type: null, response: null },
      { status: 200, content_type: null, response: "" },
    ]);
    await receiver.close();
  });
});
