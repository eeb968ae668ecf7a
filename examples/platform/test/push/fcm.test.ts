import { generateKeyPairSync, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFcmTransport, removeToken } from "../../src/push/fcm-transport.ts";
import { notifyWorkers } from "../../src/push/notify-workers.ts";
import type { NotificationReason, PushTransport } from "../../src/push/push-transport.ts";
import { startPush } from "../../src/push/start-push.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { accepted, type FcmServer, openFcmServer, rejectWith } from "./fcm-server.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const credentials = { projectId: "demo", clientEmail: "push@demo.iam.gserviceaccount.com", privateKey };
const noon = new Date("2030-01-01T12:00:00Z");

describe.each(await anyStore())("push over Firebase Cloud Messaging on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let server: FcmServer;
  let transport: PushTransport;

  beforeEach(async () => {
    server = await openFcmServer();
    transport = createFcmTransport({
      credentials,
      onUnregistered: (device) => removeToken(fixture.store, device),
      now: () => noon,
      dispatcher: server.dispatcher,
      timeoutMs: 500,
    });
  });
  afterEach(async () => {
    await fixture.reset();
    await transport.close?.();
    await server.close();
  });

  const startSending = (): void => {
    const onError = (error: unknown): void => void fixture.errors.push(error);
    const { store, leases } = fixture;
    fixture.adopt(startPush({ store, leases, transport, onError, firstRetryMs: 20 }));
  };

  /** Creates an offer and a worker with these devices, and notifies the worker. @returns the ids of the offer and the worker */
  async function notify(
    reason: NotificationReason,
    devices: readonly { platform: "ios" | "android"; token: string | null }[],
    title = "Night shift",
    work?: { start: string; end: string; place: string },
  ) {
    const [offerId, workerId] = [`offer_${randomUUID()}`, randomUUID()];
    const organisationId = await addOrganisation(fixture.store);
    await fixture.store.execute(
      `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events)
       values ($1, $2, 'user-1', $3, '', $4, $5)`,
      [offerId, organisationId, title, work?.place ?? "", JSON.stringify(work ? [work] : [])],
    );
    await fixture.store.db.insertInto("workers").values({ id: workerId, name: "Ann", password_hash: "" }).execute();
    const rows = devices.map((device) => ({ id: randomUUID(), worker_id: workerId, ...device }));
    await fixture.store.db.insertInto("devices").values(rows).execute();
    await fixture.store.transaction((trx) => notifyWorkers(trx, { offerId, workerIds: [workerId], reason }));
    return { offerId, workerId };
  }

  const readNotifications = (workerId: string) =>
    fixture.store.db
      .selectFrom("notifications")
      .innerJoin("devices", "devices.id", "device_id")
      .select(["notifications.id", "sent_at", "due_at", "attempts", "token"])
      .where("notifications.worker_id", "=", workerId)
      .execute();
  const areAllAttempted = async (workerId: string): Promise<boolean> =>
    (await readNotifications(workerId)).every(({ due_at }) => due_at === null);
  const areAllSent = async (workerId: string): Promise<boolean> =>
    (await readNotifications(workerId)).every(({ sent_at }) => sent_at !== null);

  test("an iOS device is notified through APNs, an Android device directly, with ids that open the offer [D-79]", async () => {
    startSending();
    const { offerId, workerId } = await notify("offer", [
      { platform: "ios", token: "ios-1" },
      { platform: "android", token: "android-1" },
    ]);
    await eventually("both are sent", () => areAllSent(workerId));
    const ids = new Map((await readNotifications(workerId)).map(({ token, id }) => [token, String(id)]));
    const commonFields = (token: string) => ({
      token,
      notification: { title: "You have a new offer", body: "Night shift" },
      data: { sequence: ids.get(token), offerId, reason: "offer" },
    });
    const headers = {
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-expiration": String(noon.getTime() / 1_000 + 86_400),
      "apns-collapse-id": offerId,
    };
    expect(server.messages.toSorted((a, b) => a.token.localeCompare(b.token))).toEqual([
      { ...commonFields("android-1"), android: { priority: "HIGH", ttl: "86400s", notification: { tag: offerId } } },
      {
        ...commonFields("ios-1"),
        apns: { headers, payload: { aps: { sound: "default", "thread-id": offerId } } },
      },
    ]);
    const [signIn, ...pushes] = server.requests;
    expect(signIn).toMatchObject({ host: "oauth2.googleapis.com", path: "/token" });
    expect(pushes).toHaveLength(2);
    for (const { host, path, authorization } of pushes)
      expect({ host, path, authorization }).toEqual({
        host: "fcm.googleapis.com",
        path: "/v1/projects/demo/messages:send",
        authorization: "Bearer access-1",
      });
  });

  test.each<[NotificationReason, string]>([
    ["successful", "You got the work"],
    ["unsuccessful", "Others got the work"],
    ["withdrawn", "The offer was withdrawn"],
  ])("the phone shows %s as: %s", async (reason, title) => {
    startSending();
    const { workerId } = await notify(reason, [{ platform: "android", token: `android-${reason}` }]);
    await eventually("the push is sent", () => areAllSent(workerId));
    expect(server.messages).toMatchObject([{ notification: { title }, data: { reason } }]);
  });

  test("the phone shows the time, in the worker's time zone, and the place [D-118]", async () => {
    const work = { start: "2027-03-05T17:00:00Z", end: "2027-03-05T23:00:00Z", place: "place_bar" };
    const { workerId } = await notify("offer", [{ platform: "android", token: "android-when" }], "Bar", work);
    await fixture.store.db
      .updateTable("workers")
      .set({ time_zone: "Pacific/Chatham" })
      .where("id", "=", workerId)
      .execute();
    startSending();
    await eventually("the push is sent", () => areAllSent(workerId));
    const [message] = server.messages as unknown as { notification: { body: string } }[];
    // Some versions of the locale data have thin spaces around the dash.
    expect(message?.notification.body.replaceAll(/\s?–\s?/g, "–").split("\n")).toEqual([
      "Bar",
      "Sat, 6 Mar 2027, 06:45–12:45 GMT+13:45",
      "place_bar",
    ]);
  });

  test("a title is truncated to the length that a phone shows, between characters", async () => {
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: "ios-2" }], "🌙".repeat(1_000));
    await eventually("the push is sent", () => areAllSent(workerId));
    expect(server.messages).toMatchObject([{ notification: { body: "🌙".repeat(200) } }]);
  });

  test("a long title is not cut within a character, and a long place does not make the message too big", async () => {
    startSending();
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
    const work = { start: "2027-03-05T17:00:00Z", end: "2027-03-05T23:00:00Z", place: "\ufdfa".repeat(500) };
    const { workerId } = await notify("offer", [{ platform: "ios", token: "ios-4" }], `x${family.repeat(60)}`, work);
    await eventually("the push is sent", () => areAllSent(workerId));
    const [message] = server.messages as unknown as { notification: { body: string } }[];
    const [title = ""] = message?.notification.body.split("\n") ?? [];
    expect(title.replaceAll(family, "")).toBe("x");
    // The limit of the push service for a message.
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(4_000);
  });

  test("a device without a token gets the notification only on the menu, which is not recorded as sent [D-79]", async () => {
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: null }]);
    await eventually("the push is attempted", () => areAllAttempted(workerId));
    expect(server.requests).toEqual([]);
    expect(await readNotifications(workerId)).toMatchObject([{ sent_at: null, attempts: 1 }]);
  });

  // https://firebase.google.com/docs/cloud-messaging/error-codes
  test.each([
    [404, "UNREGISTERED", "Requested entity was not found."],
    [400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token"],
    [403, "SENDER_ID_MISMATCH", "SenderId mismatch"],
  ])(
    "a token that the push service rejects with %i %s is removed and not retried [D-79]",
    async (status, code, text) => {
      server.respond = () => rejectWith(status, code, text);
      startSending();
      const { workerId } = await notify("offer", [{ platform: "ios", token: `gone-${status}` }]);
      await eventually("the push is attempted", () => areAllAttempted(workerId));
      expect(await readNotifications(workerId)).toMatchObject([{ token: null, sent_at: null, attempts: 1 }]);
      expect(server.messages).toHaveLength(1);
      expect(fixture.errors).toEqual([]);
    },
  );

  test("removing an old token does not remove the token that has replaced it", async () => {
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: "new-1" }]);
    await eventually("the push is sent", () => areAllSent(workerId));
    const [device] = await fixture.store.db
      .selectFrom("devices")
      .selectAll()
      .where("worker_id", "=", workerId)
      .execute();
    await removeToken(fixture.store, { id: device?.id ?? "", workerId, platform: "ios", token: "old-1" });
    expect(await readNotifications(workerId)).toMatchObject([{ token: "new-1" }]);
  });

  test.each([
    [400, "INVALID_ARGUMENT", "Message is too big"],
    [400, "INVALID_ARGUMENT", "Invalid value at 'message.android.ttl'"],
    [404, "NOT_FOUND", "Requested entity was not found."],
    [403, "PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied"],
    [429, "QUOTA_EXCEEDED", "Quota exceeded"],
    [503, "UNAVAILABLE", "The service is currently unavailable."],
  ])("a rejection with %i %s, %s, is retried, and the token is not removed", async (status, code, text) => {
    let remainingRejections = 2;
    server.respond = () => {
      if (remainingRejections === 0) return accepted;
      remainingRejections -= 1;
      return rejectWith(status, code, text);
    };
    startSending();
    const token = `busy-${text}`;
    const { workerId } = await notify("offer", [{ platform: "android", token }]);
    await eventually("the push is sent", () => areAllSent(workerId));
    expect(await readNotifications(workerId)).toMatchObject([{ token, attempts: 3 }]);
    expect(fixture.errors).toMatchObject([{ code }, { code }]);
  });

  test("a service that does not respond is retried after its timeout", async () => {
    let isSilent = true;
    server.respond = () => (isSilent ? null : accepted);
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: "slow-1" }]);
    await eventually("the first attempt ended", () => fixture.errors.length > 0);
    isSilent = false;
    await eventually("the push is sent", () => areAllSent(workerId));
    expect(fixture.errors[0]).toMatchObject({ name: "TimeoutError" });
  });

  test("a revoked access token is replaced", async () => {
    let isRevoked = true;
    server.respond = () => (isRevoked ? rejectWith(401, "THIRD_PARTY_AUTH_ERROR") : accepted);
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: "ios-3" }]);
    await eventually("the push is rejected", () => fixture.errors.length > 0);
    isRevoked = false;
    await eventually("the push is sent", () => areAllSent(workerId));
    expect(server.requests.filter(({ path }) => path === "/token").length).toBeGreaterThan(1);
  });

  test("errors never contain the device token, the title or the key", async () => {
    let isRejected = false;
    server.respond = () => {
      if (isRejected) return accepted;
      isRejected = true;
      return rejectWith(400, "INVALID_ARGUMENT");
    };
    startSending();
    const { workerId } = await notify("offer", [{ platform: "ios", token: "secret-token-1" }], "Secret shift");
    await eventually("the push is sent", () => areAllSent(workerId));
    const errorText = fixture.errors
      .map((error) => `${error} ${(error as Error).stack} ${JSON.stringify(error)}`)
      .join();
    expect(errorText).toContain("INVALID_ARGUMENT");
    expect(errorText).not.toMatch(/secret-token-1|Secret shift|access-1|PRIVATE KEY/);
  });
});
