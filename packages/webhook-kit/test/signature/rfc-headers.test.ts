import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { adapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { mount } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

captureConsole();

/** The time on the receiver's clock, which every accepted Timestamp denotes. */
const now = new Date("2026-03-08T02:30:00.000Z");
const digestOf = (timestamp: string) =>
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
  ])("Timestamp: %s is read as the same instant, and hashed as it was sent [D-96]", async (timestamp) => {
    const request = await mount(adapter, { now: () => now, toleranceSeconds: 0 });
    const Authorization = `hmac ${digestOf(timestamp)}`;
    expect((await request("/test/auth", { headers: { Timestamp: timestamp, Authorization } })).status).toBe(200);
    const other = `hmac ${digestOf(now.toISOString().replace(".000Z", "+00:00"))}`;
    expect((await request("/test/auth", { headers: { Timestamp: timestamp, Authorization: other } })).status).toBe(401);
  });

  test.each([
    ["2026-03-08T02:30:00", "malformed_timestamp"],
    ["2026-03-08", "malformed_timestamp"],
    ["2026-03-08T02:30:00+0000", "malformed_timestamp"],
    ["2026-03-08T02:30:60Z", "malformed_timestamp"],
    ["2026-03-07T24:00:00Z", "malformed_timestamp"],
    ["2026-03-08T02:30:00,0Z", "duplicate_header"],
    ["2026-03-08T02:30:00+01:00", "timestamp_out_of_tolerance"],
  ])("Timestamp: %s is rejected with the code %s", async (timestamp, reason) => {
    const onRejected = vi.fn();
    const request = await mount(adapter, { now: () => now, onRejected });
    const headers = { Timestamp: timestamp, Authorization: `hmac ${digestOf(timestamp)}` };
    expect((await request("/test/auth", { headers })).status).toBe(401);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: reason }));
  });

  const timestamp = now.toISOString();
  test.each([
    [`hmac  ${digestOf(timestamp)}`, 200],
    [`HMAC     ${digestOf(timestamp).toUpperCase()}`, 200],
    [`hmac ${digestOf(timestamp)}   `, 200],
    [`hmac\t${digestOf(timestamp)}`, 401],
    [`hmac ${digestOf(timestamp)}, hmac ${digestOf(timestamp)}`, 401],
    [`hmac digest="${digestOf(timestamp)}"`, 401],
    [`hmac ${digestOf(timestamp)}=`, 401],
  ])("Authorization: %s gets %i [D-16]", async (Authorization, status) => {
    const request = await mount(adapter, { now: () => now });
    expect((await request("/test/auth", { headers: { Timestamp: timestamp, Authorization } })).status).toBe(status);
  });
});
