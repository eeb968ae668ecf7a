import { expect, test } from "vitest";
import { expectations, input } from "./expectations.ts";
import {
  type ContractFixture,
  type DriverOptions,
  keys,
  type OffersDriver,
  type Outcome,
  type WorkerId,
} from "./fixture.ts";

/** Tests the behaviour of the operations, for any service and through any driver. */
export function describeOperations(getFixture: () => ContractFixture, driver: () => OffersDriver): void {
  const getExpectations = () => expectations[getFixture().dialect];
  const requireData = <Data>(outcome: Outcome<Data>): Data =>
    outcome.ok ? outcome.data : expect.unreachable(JSON.stringify(outcome));
  const create = async (changes: Partial<typeof input> = {}, call?: DriverOptions): Promise<string> =>
    requireData(await driver().create({ ...input, ...changes }, call)).id;
  const read = async (id: string) => requireData(await driver().read(id));
  const readResponses = async (id: string) => (await read(id)).recipients.map(({ response }) => response);
  const expectNotified = async (id: string, workerId: WorkerId, reasons: string[]) =>
    expect(await getFixture().notifications(id, workerId, reasons.length)).toEqual(reasons);
  const createRejection = (code: string, status: number, fields: string[] = []) => ({
    ok: false,
    status,
    code,
    fields,
  });

  test("an offer is read as it was created, with one recipient per worker, in the order of `workerIds`", async () => {
    const before = Date.now();
    const id = await create({ workerIds: ["worker_cleo", "worker_amal", "worker_cleo"] });
    const { createdAt, recipients, ...offer } = await read(id);
    const { title, details, locationPlaceId, events } = input;
    const flags = { isHistoric: false, widthdrawn: false, complete: false };
    expect(offer).toEqual({ id, title, details, locationPlaceId, events, ...flags });
    expect(createdAt).toMatch(/Z$/);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
    const initialState = { id: expect.any(Number), response: "none", confirmation: "" };
    expect(recipients).toEqual([
      { ...initialState, workerId: "worker_cleo", name: "Cleo Martin" },
      { ...initialState, workerId: "worker_amal", name: "Amal Haddad" },
    ]);
    const nextRecipients = (await read(await create())).recipients;
    expect(new Set([...recipients, ...nextRecipients].map((recipient) => recipient.id)).size).toBe(5);
  });

  test("fields that a creation omits are empty in the offer", async () => {
    const { createdByUserId, title, workerIds } = input;
    const { id } = requireData(await driver().create({ createdByUserId, title, workerIds }));
    expect(await read(id)).toMatchObject({ details: "", locationPlaceId: "", events: [], isHistoric: false });
  });

  test("an offer whose last event has ended is historic", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const pastEvent = { start: `${today}T00:00:00Z`, end: `${today}T00:00:00.001Z` };
    expect(await read(await create({ events: [pastEvent] }))).toMatchObject({ isHistoric: true, events: [pastEvent] });
    expect(await read(await create({ events: [pastEvent, ...input.events] }))).toMatchObject({ isHistoric: false });
  });

  test("a worker's response can be read immediately, and may change", async () => {
    const id = await create();
    expect(await getFixture().respond(id, "worker_amal", "applied")).toBe("done");
    expect(await getFixture().respond(id, "worker_ben", "rejected")).toBe("done");
    expect(await readResponses(id)).toEqual(["none", "applied", "rejected"]);
    await getFixture().respond(id, "worker_amal", "rejected");
    await getFixture().respond(id, "worker_ben", "applied");
    expect(await readResponses(id)).toEqual(["none", "rejected", "applied"]);
  });

  test("a completion confirms the chosen workers and notifies everyone", async () => {
    const id = await create();
    for (const workerId of ["worker_amal", "worker_ben"] as const) await getFixture().respond(id, workerId, "applied");
    expect(await driver().complete(id, ["worker_amal", "worker_amal"])).toMatchObject({ ok: true });
    const { complete, widthdrawn, recipients } = await read(id);
    expect({ complete, widthdrawn }).toEqual({ complete: true, widthdrawn: false });
    expect(recipients.map(({ confirmation }) => confirmation)).toEqual(["", "confirmed", ""]);
    await expectNotified(id, "worker_amal", ["offer", "successful"]);
    await expectNotified(id, "worker_ben", ["offer", "unsuccessful"]);
    await expectNotified(id, "worker_cleo", ["offer", "unsuccessful"]);
    await expectNotified(id, "worker_dana", []);
  });

  test("a completion with a worker who has not applied is rejected and changes nothing", async () => {
    const id = await create();
    await getFixture().respond(id, "worker_amal", "applied");
    await getFixture().respond(id, "worker_ben", "applied");
    await getFixture().respond(id, "worker_ben", "rejected");
    const workerIds = ["worker_amal", "worker_ben", "worker_cleo", "worker_dana", "unknown_worker"];
    const fields = ["[1]", "[2]", "[3]", "[4]"];
    expect(await driver().complete(id, workerIds)).toEqual(createRejection("worker_not_applied", 400, fields));
    expect(await driver().complete(id, [])).toEqual(createRejection("invalid_request", 400, ["body"]));
    expect(await driver().complete(id, ["worker_amal", ""])).toEqual(createRejection("invalid_request", 400, ["[1]"]));
    expect(await read(id)).toMatchObject({ complete: false });
    await expectNotified(id, "worker_amal", ["offer"]);
  });

  test("an offer can be completed only once, and not after a withdrawal", async () => {
    const id = await create();
    await getFixture().respond(id, "worker_amal", "applied");
    await driver().complete(id, ["worker_amal"]);
    expect(await driver().complete(id, ["worker_amal"])).toEqual(
      createRejection("offer_completed", getExpectations().closed),
    );
    // The offer's state is checked before the workers.
    expect(await driver().complete(id, ["worker_cleo"])).toEqual(
      createRejection("offer_completed", getExpectations().closed),
    );
    await driver().withdraw(id);
    expect(await driver().complete(id, ["worker_amal"])).toEqual(
      createRejection("offer_withdrawn", getExpectations().closed),
    );
    expect(await read(id)).toMatchObject({ complete: true, widthdrawn: true });
  });

  test("a withdrawal is possible in any state and any number of times, and sends one notification", async () => {
    const id = await create({ workerIds: ["worker_dana"] });
    for (const _ of [1, 2]) expect(await driver().withdraw(id)).toMatchObject({ ok: true });
    expect(await read(id)).toMatchObject({ complete: false, widthdrawn: true });
    await expectNotified(id, "worker_dana", ["offer", "withdrawn"]);
  });

  test("a worker cannot respond to an offer that was not sent to them, and nobody can respond to a closed offer", async () => {
    const id = await create({ workerIds: ["worker_amal", "worker_ben"] });
    expect(await getFixture().respond(id, "worker_dana", "applied")).toBe("offer_not_found");
    expect(await getFixture().respond("unknown", "worker_amal", "applied")).toBe("offer_not_found");
    await getFixture().respond(id, "worker_amal", "applied");
    await driver().complete(id, ["worker_amal"]);
    expect(await getFixture().respond(id, "worker_amal", "rejected")).toBe("offer_completed");
    await driver().withdraw(id);
    expect(await getFixture().respond(id, "worker_ben", "applied")).toBe("offer_withdrawn");
    expect(await readResponses(id)).toEqual(["applied", "none"]);
  });

  test("an unknown offer and another organisation's offer result in the same response: not found", async () => {
    const id = await create();
    await getFixture().respond(id, "worker_amal", "applied");
    for (const [absentId, call] of [
      [id, { apiKey: keys.bistro }],
      ["unknown", {}],
      ["a/b?c#d", {}],
      ["über", {}],
    ] as const) {
      expect(await driver().read(absentId, call)).toMatchObject({ ok: false, ...getExpectations().absent });
      expect(await driver().withdraw(absentId, call)).toMatchObject(getExpectations().absentWithdrawal);
      expect(await driver().complete(absentId, ["worker_amal"], call)).toMatchObject(
        getExpectations().absentCompletion,
      );
    }
    expect(await read(id)).toMatchObject({ complete: false, widthdrawn: false });
  });

  test("every operation is rejected if the key is unknown", async () => {
    const id = await create();
    const call = { apiKey: "demo-key-unknown" };
    for (const outcome of [
      await driver().create(input, call),
      await driver().read(id, call),
      await driver().complete(id, ["worker_amal"], call),
      await driver().withdraw(id, call),
    ])
      expect(outcome).toEqual(createRejection("invalid_api_key", 401));
    expect(await read(id)).toMatchObject({ widthdrawn: false });
  });

  test("an agency creates offers for the organisation whose key it uses, on behalf of that organisation's users or its own", async () => {
    const { crew, crewForHarbour, harbour, bistro } = keys;
    const id = await create({ createdByUserId: "user_ada" }, { apiKey: crewForHarbour });
    await create({ createdByUserId: "user_hana" }, { apiKey: crewForHarbour });
    expect(await read(id)).toMatchObject({ id });
    expect(await driver().read(id, { apiKey: crew })).toMatchObject({ ok: false, ...getExpectations().absent });
    for (const [apiKey, createdByUserId] of [
      [harbour, "user_ada"],
      [harbour, "worker_amal"],
      [crew, "user_hana"],
      [crewForHarbour, "user_bo"],
      [bistro, ""],
    ] as const)
      expect(await driver().create({ ...input, createdByUserId }, { apiKey })).toEqual(
        createRejection("invalid_request", 400, ["createdByUserId"]),
      );
  });

  test("repeating a creation with the same idempotency key returns the same offer, and a different request with that key is rejected", async () => {
    const idempotencyKey = `creation ${crypto.randomUUID()}`;
    const id = await create({}, { idempotencyKey });
    expect(await create({}, { idempotencyKey })).toBe(id);
    const rejection = createRejection("idempotency_key_reused", getExpectations().reused);
    expect(await driver().create({ ...input, title: "Another" }, { idempotencyKey })).toEqual(rejection);
    expect(await driver().create({ ...input, title: "" }, { idempotencyKey })).toEqual(rejection);
    expect(await driver().complete(id, ["worker_amal"], { idempotencyKey })).toEqual(rejection);
    await expectNotified(id, "worker_amal", ["offer"]);
    const bistroInput = { ...input, createdByUserId: "user_bo" };
    expect(await driver().create(bistroInput, { idempotencyKey, apiKey: keys.bistro })).toMatchObject({ ok: true });
  });

  test("repeating a completion with the same idempotency key returns the first response, and a rejected request does not use up the key", async () => {
    const id = await create();
    const idempotencyKey = `completion ${crypto.randomUUID()}`;
    const complete = (offerId = id) => driver().complete(offerId, ["worker_amal"], { idempotencyKey });
    expect(await complete()).toEqual(createRejection("worker_not_applied", 400, ["[0]"]));
    await getFixture().respond(id, "worker_amal", "applied");
    for (const _ of [1, 2]) expect(await complete()).toMatchObject({ ok: true });
    expect(await complete(await create())).toEqual(createRejection("idempotency_key_reused", getExpectations().reused));
    await expectNotified(id, "worker_amal", ["offer", "successful"]);
  });
}
