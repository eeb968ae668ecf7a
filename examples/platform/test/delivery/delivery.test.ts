import { describe, expect, test } from "vitest";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { hang, hangUp, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveries, workerResponse } from "./use-deliveries.ts";

describe.each(await anyStore())("deliveries on $title", ({ createDatabase }) => {
  const deliveries = useDeliveries(createDatabase);
  const { record, waitForState, listReceivedIds } = deliveries;

  const readAttempts = (deliveryId: string) =>
    deliveries.fixture.store.db
      .selectFrom("attempts")
      .selectAll()
      .where("delivery_id", "=", deliveryId)
      .orderBy("id")
      .execute();

  test("a worker's response arrives signed, under the base URL, with its delivery id [interface: Overview 2b]", async () => {
    deliveries.fixture.startDelivery();
    const id = await record(workerResponse("worker-1", "rejected"));
    await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests).toHaveLength(1);
    const [request] = deliveries.receiver.requests;
    expect(request).toMatchObject({
      method: "POST",
      url: "/someprefix/offer/response",
      headers: { "content-type": "application/json", "offers-delivery-id": id, authorization: "test s3cret" },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual({ offerId: "offer-1", workerId: "worker-1", response: "rejected" });
    expect(await readAttempts(id)).toMatchObject([{ path: "/offer/response", status: 200, error: null }]);
    expect(deliveries.fixture.attempts).toMatchObject([
      { deliveryId: id, number: 1, outcome: "acknowledged", path: "/offer/response" },
    ]);
  });

  test("an added contact is sent with the worker's id in the path and no body", async () => {
    deliveries.fixture.startDelivery();
    const id = await record({ type: "workerAddedContact", data: { workerId: "a/b ü?" } });
    await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests).toMatchObject([
      { method: "GET", url: "/someprefix/contact/new/a%2Fb%20%C3%BC%3F", body: "" },
    ]);
    expect(deliveries.fixture.attempts).toMatchObject([{ path: "/contact/new/{workerId}" }]);
  });

  test("an event of a failed transaction is never delivered", async () => {
    deliveries.fixture.startDelivery();
    const failedTransaction = deliveries.fixture.store.transaction(async (trx) => {
      await recordEvent(trx, deliveries.organisationId, workerResponse("worker-1"));
      throw new Error("no");
    });
    await expect(failedTransaction).rejects.toThrow("no");
    await waitForState(await record(workerResponse("worker-2")), "acknowledged");
    expect(deliveries.receiver.requests).toHaveLength(1);
    expect(deliveries.receiver.requests[0]?.body).toContain("worker-2");
  });

  test("an event is stored even if its organisation has no endpoint [D-39]", async () => {
    const organisationId = await addOrganisation(deliveries.fixture.store);
    const recorded = await deliveries.fixture.store.transaction((trx) =>
      recordEvent(trx, organisationId, workerResponse("worker-1")),
    );
    expect(recorded).toEqual({ eventId: expect.any(String) });
    const events = await deliveries.fixture.store.db
      .selectFrom("events")
      .select("data")
      .where("organisation_id", "=", organisationId)
      .execute();
    expect(events).toEqual([{ data: { offerId: "offer-1", workerId: "worker-1", response: "accepted" } }]);
  });

  test("a delivery is attempted with the same id until it is acknowledged [D-13] [D-32]", async () => {
    const responses = [respondWith(500), respondWith(204), respondWith(302, { location: "/elsewhere" }), hangUp, hang];
    deliveries.receiver.respond = (...exchange) => (responses.shift() ?? respondWith(200))(...exchange);
    deliveries.fixture.startDelivery({ attemptTimeoutMs: 3_000 });
    const id = await record(workerResponse("worker-1"));
    await waitForState(id, "acknowledged");
    expect((await readAttempts(id)).map(({ status, error }) => [status, error])).toEqual([
      [500, "not_acknowledged"],
      [204, "not_acknowledged"],
      [302, "not_acknowledged"],
      [null, "connection_lost"],
      [null, "timeout"],
      [200, null],
    ]);
    expect(new Set(listReceivedIds())).toEqual(new Set([id]));
    expect(deliveries.receiver.requests.map(({ url }) => url)).not.toContain("/elsewhere");
    await eventually("the last attempt is reported", () => deliveries.fixture.attempts.length === 6);
    expect(deliveries.fixture.attempts.map(({ outcome }) => outcome)).toEqual([
      ...Array(5).fill("retry"),
      "acknowledged",
    ]);
  });

  test("a delivery is not retried before the time in Retry-After", async () => {
    deliveries.receiver.respond = respondWith(503, { "retry-after": "30" });
    const now = new Date("2031-05-01T10:00:00Z");
    deliveries.fixture.startDelivery({ now: () => now });
    await record(workerResponse("worker-1"));
    await eventually("the attempt is reported", () => deliveries.fixture.attempts.length === 1);
    expect(deliveries.fixture.attempts[0]?.nextAttemptAt).toEqual(new Date("2031-05-01T10:00:30Z"));
  });

  test("one worker's responses to one offer arrive in order despite failures, without delaying other workers [D-32]", async () => {
    let remainingFailures = 3;
    deliveries.receiver.respond = (request, response) => {
      const fails = request.body.includes("worker-1") && remainingFailures > 0;
      if (fails) remainingFailures -= 1;
      respondWith(fails ? 500 : 200)(request, response);
    };
    const sequence = ["accepted", "rejected", "accepted", "rejected"] as const;
    const ids: string[] = [];
    for (const response of sequence) ids.push(await record(workerResponse("worker-1", response)));
    const otherId = await record(workerResponse("worker-2"));
    deliveries.fixture.startDelivery();
    for (const id of [...ids, otherId]) await waitForState(id, "acknowledged");
    const order = listReceivedIds();
    const [first = ""] = ids;
    expect(order.filter((id) => id !== otherId)).toEqual([first, first, first, ...ids]);
    expect(order.indexOf(otherId)).toBeLessThan(order.lastIndexOf(first));
  });
});
