import { generateKeyPairSync, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import { createFcmTransport } from "../../src/push/fcm-transport.ts";
import { readNotifications } from "../../src/push/notification-feed.ts";
import type { NotificationReason, PushTransport } from "../../src/push/push-transport.ts";
import { pushQueue, startPush } from "../../src/push/start-push.ts";
import type { Trx } from "../../src/store/store.ts";
import { linkTo } from "../mail/link-to.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime, type VirtualTime } from "../support/virtual-time.ts";
import { accepted, type FcmServer, openFcmServer, rejectWith } from "./fcm-server.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const credentials = { projectId: "demo", clientEmail: "push@demo.iam.gserviceaccount.com", privateKey };
const hourMs = 3_600_000;
const now = (): Date => new Date();

describe.each(await anyStore())("the order of pushes on $title [D-99]", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let server: FcmServer;
  let transport: PushTransport;
  let organisationId: string;
  let workerId: string;

  beforeAll(async () => {
    time = createVirtualTime(fixture, { queue: "pushes" });
  });
  beforeEach(async () => {
    server = await openFcmServer();
    const onUnregistered = async (): Promise<void> => undefined;
    transport = createFcmTransport({ credentials, onUnregistered, now, dispatcher: server.dispatcher, timeoutMs: 500 });
    organisationId = await addOrganisation(fixture.store);
    workerId = randomUUID();
    await fixture.store.db.insertInto("workers").values({ id: workerId, name: "Ann", password_hash: "" }).execute();
    const device = { id: randomUUID(), worker_id: workerId, platform: "android" as const, token: "phone" };
    await fixture.store.db.insertInto("devices").values(device).execute();
  });
  afterEach(async () => {
    await fixture.reset();
    await transport.close?.();
    await server.close();
  });

  const startSending = (): Loop => {
    const { store, leases, errors } = fixture;
    return fixture.adopt(startPush({ store, leases, transport, onError: (error) => void errors.push(error) }));
  };
  const createTestOffer = (): Promise<string> =>
    fixture.store.transaction((trx) =>
      createOffer(trx, { linkTo }, organisationId, {
        createdByUserId: "user-1",
        title: "Bar",
        workerIds: [workerId],
      }),
    );
  const withdraw = (offerId: string) =>
    fixture.store.transaction((trx) => applyAction(trx, { linkTo }, { organisationId }, offerId, { type: "withdraw" }));
  const listPushedReasons = (): NotificationReason[] => server.messages.map(({ data }) => data.reason);
  const readReasons = async (): Promise<NotificationReason[]> => {
    const notifications = await readNotifications(fixture.store, workerId);
    return notifications.map(({ reason }) => reason);
  };
  const rejectOfferPushes = (): void => {
    server.respond = ({ data }) => (data.reason === "offer" ? rejectWith(503, "UNAVAILABLE") : accepted);
  };

  test.each([
    ["once", 1],
    ["twice", 2],
  ])(
    "an offer that the push service rejected %s is not sent after its withdrawal [interface: Overview 4b]",
    async (_, rejections) => {
      rejectOfferPushes();
      startSending();
      const offerId = await createTestOffer();
      for (let number = 1; number < rejections; number += 1) {
        await time.waitUntilIdle();
        await time.advance(hourMs);
      }
      await eventually("the push was rejected", () => fixture.errors.length === rejections);
      await time.waitUntilIdle();
      await withdraw(offerId);
      await eventually("the withdrawal is sent", () => listPushedReasons().includes("withdrawn"));
      server.respond = () => accepted;
      for (let number = 0; number < 3; number += 1) {
        await time.waitUntilIdle();
        await time.advance(hourMs);
      }
      await time.waitUntilIdle();
      expect(listPushedReasons()).toEqual([...Array.from({ length: rejections }, () => "offer"), "withdrawn"]);
      expect(await readReasons()).toEqual(["offer", "withdrawn"]);
      expect(server.messages.map(({ data }) => Number(data.sequence))).toEqual(
        server.messages.map(({ data }) => Number(data.sequence)).toSorted((a, b) => a - b),
      );
    },
  );

  test("a withdrawal waits while the push of its offer hangs, and then replaces it", async () => {
    let errorsBefore = -1;
    server.respond = ({ data }) => {
      if (data.reason === "offer") return null;
      errorsBefore = fixture.errors.length;
      return accepted;
    };
    startSending();
    const offerId = await createTestOffer();
    await eventually("the push hangs", () => listPushedReasons().length === 1);
    await withdraw(offerId);
    await eventually("the withdrawal is sent", () => listPushedReasons().length === 2);
    expect(fixture.errors).toMatchObject([{ name: "TimeoutError" }]);
    server.respond = () => accepted;
    await time.waitUntilIdle();
    await time.advance(hourMs);
    await time.waitUntilIdle();
    expect(errorsBefore).toBe(1);
    expect(listPushedReasons()).toEqual(["offer", "withdrawn"]);
    expect(await readReasons()).toEqual(["offer", "withdrawn"]);
  });

  test("an offer that was rejected before a restart is not sent after its withdrawal", async () => {
    rejectOfferPushes();
    const push = startSending();
    const offerId = await createTestOffer();
    await eventually("the push was rejected", () => fixture.errors.length === 1);
    await push.stop();
    await withdraw(offerId);
    server.respond = () => accepted;
    startSending();
    await eventually("the withdrawal is sent", () => listPushedReasons().includes("withdrawn"));
    await time.waitUntilIdle();
    await time.advance(hourMs);
    await time.waitUntilIdle();
    expect(listPushedReasons()).toEqual(["offer", "withdrawn"]);
    expect(await readReasons()).toEqual(["offer", "withdrawn"]);
  });

  test("an offer that a dead process may still be sending is neither overtaken nor sent again", async () => {
    const offerId = await createTestOffer();
    const deadProcess = new Leases(fixture.store, 2_000, (error) => fixture.errors.push(error));
    expect(await claimRows(fixture.store, deadProcess, pushQueue, 10)).toHaveLength(1);
    await withdraw(offerId);
    startSending();
    const isLeased = async (): Promise<boolean> => {
      const leases = fixture.store.db.selectFrom("outbox_leases").select("token");
      return (await leases.where("process_id", "=", deadProcess.processId).executeTakeFirst()) !== undefined;
    };
    while (await isLeased()) {
      expect(listPushedReasons()).toEqual([]);
      await setTimeout(20);
    }
    await eventually("the withdrawal is sent", () => listPushedReasons().length > 0);
    await time.waitUntilIdle();
    await time.advance(hourMs);
    await time.waitUntilIdle();
    expect(listPushedReasons()).toEqual(["withdrawn"]);
    expect(await readReasons()).toEqual(["offer", "withdrawn"]);
  });

  const act = (action: Action) => {
    const actor = "workerId" in action ? { workerId: action.workerId } : { organisationId };
    return (offerId: string) =>
      fixture.store.transaction((trx) => applyAction(trx, { linkTo }, actor, offerId, action));
  };

  test("a worker is told the decision before the withdrawal, even if both are made before anything is sent [interface: Overview 3b]", async () => {
    const offerId = await createTestOffer();
    await act({ type: "apply", workerId })(offerId);
    await act({ type: "complete", workerIds: [workerId] })(offerId);
    await act({ type: "withdraw" })(offerId);
    startSending();
    await eventually("the withdrawal is sent", () => listPushedReasons().includes("withdrawn"));
    await time.waitUntilIdle();
    expect(listPushedReasons()).toEqual(["successful", "withdrawn"]);
  });

  test("a withdrawal waits while the push of the decision hangs, and the decision is not sent again", async () => {
    server.respond = ({ data }) => (data.reason === "successful" ? null : accepted);
    startSending();
    const offerId = await createTestOffer();
    await act({ type: "apply", workerId })(offerId);
    await act({ type: "complete", workerIds: [workerId] })(offerId);
    await eventually("the decision hangs", () => listPushedReasons().includes("successful"));
    await withdraw(offerId);
    await eventually("the withdrawal is sent", () => listPushedReasons().includes("withdrawn"));
    await time.waitUntilIdle();
    await time.advance(hourMs);
    await time.waitUntilIdle();
    expect(listPushedReasons().slice(-2)).toEqual(["successful", "withdrawn"]);
    expect(listPushedReasons().filter((reason) => reason === "successful")).toHaveLength(1);
  });

  test("a withdrawal supersedes a decision that the push service rejected, but not the pushes of other offers", async () => {
    server.respond = () => rejectWith(503, "UNAVAILABLE");
    startSending();
    const [offerId] = [await createTestOffer(), await createTestOffer()];
    await fixture.store.transaction((trx) =>
      applyAction(trx, { linkTo }, { workerId }, offerId, { type: "apply", workerId }),
    );
    await fixture.store.transaction((trx) =>
      applyAction(trx, { linkTo }, { organisationId }, offerId, { type: "complete", workerIds: [workerId] }),
    );
    await eventually("the decision was rejected", () => listPushedReasons().includes("successful"));
    await time.waitUntilIdle();
    await withdraw(offerId);
    await eventually("the withdrawal was rejected", () => listPushedReasons().includes("withdrawn"));
    await time.waitUntilIdle();
    server.messages.length = 0;
    server.respond = () => accepted;
    await time.advance(hourMs);
    await eventually("the last push of both offers is sent", () => listPushedReasons().length === 2);
    await time.waitUntilIdle();
    expect(listPushedReasons().sort()).toEqual(["offer", "withdrawn"]);
    expect(await readReasons()).toEqual(["offer", "offer", "successful", "withdrawn"]);
  });
});

const shareableStores = (await anyStore()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("row locks on pushes on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  afterEach(() => fixture.reset());

  const workerIds = ["amal", "ben", "cleo"];
  /** Creates notifications whose order, both in the table and by due time, is the reverse of the order of their ids. */
  async function createNotifications() {
    const organisationId = await addOrganisation(fixture.store);
    const { db } = fixture.store;
    for (const id of workerIds) {
      await db.insertInto("workers").values({ id, name: id, password_hash: "" }).execute();
      await db.insertInto("devices").values({ id, worker_id: id, platform: "ios" }).execute();
    }
    const offerId = await fixture.store.transaction((trx) =>
      createOffer(trx, { linkTo }, organisationId, { createdByUserId: "user-1", title: "Bar", workerIds }),
    );
    const ids = (await db.selectFrom("notifications").select("id").orderBy("id").execute()).map(({ id }) => id);
    for (const id of ids.toReversed())
      await fixture.store.execute(`update notifications set due_at = now() - ${id} * interval '1 s' where id = ${id}`);
    return {
      ids,
      act: (action: Action) =>
        fixture.store.transaction((trx) =>
          applyAction(trx, { linkTo }, "workerId" in action ? action : { organisationId }, offerId, action),
        ),
    };
  }
  const lockRow = (trx: Trx, id: number | undefined) =>
    sql`select id from notifications where id = ${id ?? 0} for update nowait`.execute(trx);
  /** Asserts that `work`, while it waits for the lock of the first row, has not locked any other row. */
  async function expectLocksInOrder(ids: readonly number[], work: () => void): Promise<void> {
    await fixture.store.transaction(async (trx) => {
      await lockRow(trx, ids[0]);
      work();
      await eventually("a transaction waits for the row", async () => {
        const { rows } = await fixture.store.execute(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      for (const id of ids.slice(1)) await lockRow(trx, id);
    });
  }

  test.each<Action>([{ type: "withdraw" }, { type: "complete", workerIds: ["cleo"] }])(
    "a transaction locks the rows of pushes in the order of their ids, regardless of when they are due: $type",
    async (action) => {
      const { ids, act } = await createNotifications();
      expect(await act({ type: "apply", workerId: "cleo" })).toBe("done");
      let pendingAction: Promise<unknown> | undefined;
      await expectLocksInOrder(ids, () => {
        pendingAction = act(action);
      });
      expect(await pendingAction).toBe("done");
    },
  );

  test("settling pushes locks their rows in the order of their ids, regardless of the order in which they ended", async () => {
    const { ids } = await createNotifications();
    const ends = new Map<number, () => void>();
    const send = (_: unknown, { id }: { id: number }) =>
      new Promise<undefined>((resolve) => ends.set(id, () => resolve(undefined)));
    const { store, leases, errors } = fixture;
    fixture.adopt(startPush({ store, leases, transport: { send }, onError: (error) => errors.push(error) }));
    await eventually("all pushes are under way", () => ends.size === ids.length);
    await expectLocksInOrder(ids, () => {
      for (const id of ids.toReversed()) ends.get(id)?.();
    });
    const unsent = store.db.selectFrom("notifications").select("id").where("sent_at", "is", null);
    await eventually("all are sent", async () => (await unsent.executeTakeFirst()) === undefined);
    expect(errors).toEqual([]);
  });
});
