import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { adapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { mount } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

captureConsole();

/** The time on the receiver's clock. Every accepted Timestamp is the same instant in a different format. */
const now = new Date("2026-03-08T02:30:00.000Z");
const computeDigest = (timestamp: string) =>
  createHash("sha256")
    .update(timestamp + secret)
    .digest("hex");

describe.each(adapters)("$name", (adapter) => {
  test.each([
    "2026-03-08T02:30:00.000Z",
    "2026-03-08T02:30Z",
    "2026-03-08T02:30-00:00",
    "2026-03-08T02:30:00-00:00",
    "2026-03-08t02:30:00z",
    "2026-03-08 02:30:00Z",
    "2026-03-08T03:30:00+01:00",
    "2026-03-07T23:00:00-03:30",
    "2026-03-08T16:30+14:00",
    "2026-03-08T02:30:00.0000000000000Z",
  ])("Timestamp: %s is parsed as the same instant, and hashed exactly as it was sent [D-96]", async (timestamp) => {
    const request = await mount(adapter, { now: () => now, toleranceSeconds: 0 });
    const Authorization = `hmac ${computeDigest(timestamp)}`;
    expect((await request("/test/auth", { headers: { Timestamp: timestamp, Authorization } })).status).toBe(200);
    const otherDigest = computeDigest(now.toISOString().replace(".000Z", "+00:00"));
    const otherHeaders = { Timestamp: timestamp, Authorization: `hmac ${otherDigest}` };
    expect((await request("/test/auth", { headers: otherHeaders })).status).toBe(401);
  });

  test.each([
    ["2026-03-08T02:30:00", "malformed_timestamp"],
    ["2026-03-08", "malformed_timestamp"],
    ["2026-03-08T02:30:00+0000", "malformed_timestamp"],
    ["2026-03-08T02:30:60Z", "malformed_timestamp"],
    ["2026-03-07T24:00:00Z", "malformed_timestamp"],
    ["2026-03-08T02:30:00,0Z", "malformed_timestamp"],
    ["2026-03-08T02:30:00+01:00", "timestamp_out_of_tolerance"],
  ])("Timestamp: %s is rejected with the code %s", async (timestamp, reason) => {
    const onRejected = vi.fn();
    const request = await mount(adapter, { now: () => now, onRejected });
    const headers = { Timestamp: timestamp, Authorization: `hmac ${computeDigest(timestamp)}` };
    expect((await request("/test/auth", { headers })).status).toBe(401);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: reason }));
  });

  const timestamp = now.toISOString();
  test.each([
    [`hmac  ${computeDigest(timestamp)}`, 200],
    [`HMAC     ${computeDigest(timestamp).toUpperCase()}`, 200],
    [`hmac ${computeDigest(timestamp)}   `, 200],
    [`hmac\t${computeDigest(timestamp)}`, 401],
    [`hmac ${computeDigest(timestamp)}, hmac ${computeDigest(timestamp)}`, 401],
    [`hmac digest="${computeDigest(timestamp)}"`, 401],
    [`hmac ${computeDigest(timestamp)}=`, 401],
  ])("Authorization: %s gets %i [D-16]", async (Authorization, status) => {
    const request = await mount(adapter, { now: () => now });
    expect((await request("/test/auth", { headers: { Timestamp: timestamp, Authorization } })).status).toBe(status);
  });
});
