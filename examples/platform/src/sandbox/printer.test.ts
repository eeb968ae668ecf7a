import { expect, test } from "vitest";
import { type LogLine, toReadableLine } from "./printer.ts";

const address = "http://127.0.0.1:3000";
const time = new Date(2030, 0, 1, 18, 4, 11).getTime();
const attempt = {
  level: 30,
  time,
  msg: "delivery.attempted",
  deliveryId: "delivery_1",
  type: "workerOfferResponse",
  number: 1,
  method: "POST",
  path: "/offer/response",
  durationMs: 14,
};
const formatText = (line: LogLine) => toReadableLine(line, address)?.text;

test.each<[string, object, string]>([
  [
    "an acknowledged attempt",
    { outcome: "acknowledged", status: 200 },
    "18:04:11 delivered  workerOfferResponse POST /offer/response: 200, 14 ms",
  ],
  [
    "an attempt that will be retried",
    {
      outcome: "retry",
      status: 204,
      failure: "not_acknowledged",
      number: 2,
      nextAttemptAt: new Date(time + 4_000).toISOString(),
    },
    "18:04:11 will retry workerOfferResponse POST /offer/response: 204; only 200 acknowledges, 14 ms, attempt 2, next at 18:04:15",
  ],
  [
    "the last attempt",
    { outcome: "dead", failure: "connection_refused", number: 7 },
    "18:04:11 failed     workerOfferResponse POST /offer/response: no response; connection refused, 14 ms, attempt 7, no more attempts; redeliver it at http://127.0.0.1:3000/deliveries/delivery_1",
  ],
])("prints %s", (_, fields, text) => expect(formatText({ ...attempt, ...fields })).toBe(text));

test.each<[string, object, string]>([
  ["a push", { outcome: "sent", platform: "ios" }, "18:04:11 pushed     offer to ios: offer_1"],
  [
    "a push that will be retried",
    { outcome: "retry", platform: "android", number: 2 },
    "18:04:11 will retry offer to android: offer_1, attempt 2",
  ],
  [
    "a notification without a push service",
    { outcome: "not_sent", because: "no_push_service", platform: "ios" },
    "18:04:11 not pushed offer to ios: offer_1, only in the app's menu; set OFFERS_FCM_CREDENTIALS to push",
  ],
  [
    "a notification without a device",
    { outcome: "not_sent", because: "no_device", platform: null },
    "18:04:11 not pushed offer: offer_1, only in the app's menu; the worker has no device",
  ],
])("prints %s", (_, fields, text) => {
  const record = { notificationId: 1, offerId: "offer_1", reason: "offer", number: 1 };
  expect(formatText({ level: 30, time, msg: "push.attempted", ...record, ...fields })).toBe(text);
});

test("prints a paused and a disabled endpoint", () => {
  const changed = { level: 40, time, msg: "endpoint.changed", organisationId: "org_harbour" };
  const until = new Date(time + 30_000).toISOString();
  expect(formatText({ ...changed, change: "paused", consecutiveFailures: 10, until })).toBe(
    "18:04:11 paused     10 attempts in a row failed; deliveries wait until 18:04:41",
  );
  expect(formatText({ ...changed, change: "disabled", because: "gone" })).toContain("/company");
});

test("prints errors but not requests", () => {
  expect(formatText({ level: 30, time, msg: "http.response", route: "/offer" })).toBeUndefined();
  expect(formatText({ level: 50, time, msg: "background.error", error: "Error" })).toBe(
    '18:04:11 background.error {"error":"Error"}',
  );
});
