import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordEvent } from "../../src/delivery/record-event.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { answerWith, hangUp, openReceiver } from "../support/receiver.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";

describe.each(await anyStore())("an attempt on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  beforeAll(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
  });
  afterAll(async () => {
    await half.close();
    await place.remove();
  });

  test("is kept with the beginning of its answer, as text that the store can hold", async () => {
    const answers = [
      answerWith(500, { "content-type": "text/html; charset=utf-8" }, `a\0b${"ü".repeat(5_000)}`),
      answerWith(500, {}, Buffer.from([0xff, 0x61]).toString("latin1")),
      hangUp,
      answerWith(200),
    ];
    const receiver = await openReceiver((request, response) => answers.shift()?.(request, response));
    const organisationId = await addOrganisation(half.store, receiver.baseAddress);
    const event = { type: "workerAddedContact", data: { workerId: "worker-1" } } as const;
    await half.store.transaction((trx) => recordEvent(trx, organisationId, event));
    half.startDelivery();
    await eventually("it is acknowledged", () => half.attempts.some(({ outcome }) => outcome === "acknowledged"));
    const rows = await half.store.db
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
