import { expect, test, vi } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { captureConsole } from "../../test/support/capture-console.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import { verifyRequest } from "./verify-only.ts";

captureConsole();

// Computed without our code: printf '%s' '2018-11-26T10:55Zdocumented-shared-secret' | openssl dgst -sha256
const secret = "documented-shared-secret";
const quiet = { onRejected: () => undefined };
const minuteHeaders = [
  "Timestamp",
  "2018-11-26T10:55Z",
  "Authorization",
  "hmac 3b6bdbe2099fac8f242ac7c282157e7b5ba1e2c7acd670a043b33b19005a4ce2",
];
// printf '%s' '2018-11-26T10:55:00Zdocumented-shared-secret' | openssl dgst -sha256
const secondHeaders = [
  "Timestamp",
  "2018-11-26T10:55:00Z",
  "Authorization",
  "hmac 49b087d4db9836abf571076ff5aa176108a821b871c32a844a091dcc5328d8d4",
];
const start = Date.parse("2018-11-26T10:55:00.000Z");

const statusAt = async (rawHeaders: string[], ms: number, toleranceSeconds?: number) => {
  const options = {
    ...quiet,
    secret,
    now: () => new Date(ms),
    ...(toleranceSeconds !== undefined && { toleranceSeconds }),
  };
  const verification = await verifyRequest(options, { rawHeaders });
  return verification.ok ? 200 : verification.response.status;
};

test.each([
  [-300_000, 200],
  [-300_001, 401],
  [0, 200],
  [59_999, 200],
  [359_999, 200],
  [360_000, 401],
])(
  "a timestamp without seconds is valid from 300 s before its minute to 300 s after it: %d ms → %d [D-16] [interface: Authentication 4]",
  async (ms, status) => expect(await statusAt(minuteHeaders, start + ms)).toBe(status),
);

test.each([
  [-300_000, 200],
  [-300_001, 401],
  [300_000, 200],
  [300_001, 401],
  [Number.NaN, 401],
])("a timestamp with seconds is valid for 300 s in either direction: %d ms → %d [D-16]", async (ms, status) =>
  expect(await statusAt(secondHeaders, start + ms)).toBe(status),
);

test("with a tolerance of 0, a timestamp is valid only during its own minute or millisecond", async () => {
  expect(await statusAt(secondHeaders, start, 0)).toBe(200);
  expect(await statusAt(secondHeaders, start + 1, 0)).toBe(401);
  expect(await statusAt(secondHeaders, start - 1, 0)).toBe(401);
  expect(await statusAt(minuteHeaders, start - 1, 0)).toBe(401);
  expect(await statusAt(minuteHeaders, start + 59_999, 0)).toBe(200);
  expect(await statusAt(minuteHeaders, start + 60_000, 0)).toBe(401);
});

test.each([
  ["toleranceSeconds", [Number.NaN, -1, Number.POSITIVE_INFINITY, 86_401, "300", null]],
  ["maxBodyBytes", [Number.NaN, 0, 1.5, Number.POSITIVE_INFINITY, "1"]],
])("an invalid %s is rejected", async (name, values) => {
  for (const value of values)
    await expect(verifyRequest({ secret, [name]: value as number }, { rawHeaders: minuteHeaders })).rejects.toEqual(
      expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" }),
    );
});

test("verifyRequest returns the matching secret, the time of receipt and the unsigned delivery id", async () => {
  const rawHeaders = [...minuteHeaders, "Offers-Delivery-Id", "delivery_7"];
  expect(await verifyRequest({ secret, now: () => new Date(start) }, { rawHeaders })).toEqual({
    ok: true,
    webhook: {
      verified: { scheme: "timestamp-digest", variant: "sha256", secretIndex: 0, skewSeconds: 0 },
      receivedAt: new Date(start),
      unverifiedDeliveryId: "delivery_7",
      body: undefined,
    },
  });
});

test("onVerified receives the clock skew, negative for a timestamp in the past", async () => {
  const onVerified = vi.fn();
  for (const ms of [-2_500, 30_000, 61_000])
    await verifyRequest({ secret, onVerified, now: () => new Date(start + ms) }, { rawHeaders: minuteHeaders });
  expect(onVerified.mock.calls.map(([{ skewSeconds }]) => skewSeconds)).toEqual([2.5, 0, expect.closeTo(-1, 2)]);
});

test("the rejection contains the clock skew in seconds", async () => {
  const onRejected = vi.fn();
  await verifyRequest({ secret, onRejected, now: () => new Date(start + 400_000) }, { rawHeaders: secondHeaders });
  expect(onRejected).toHaveBeenCalledExactlyOnceWith({
    code: "timestamp_out_of_tolerance",
    docsUrl: "https://github.com/offers/offers/blob/main/docs/errors.md#timestamp_out_of_tolerance",
    message: expect.any(String),
    status: 401,
    skewSeconds: -400,
  });
});

test("hooks and loggers that throw or reject do not change the result", async () => {
  const throwing = () => {
    throw new Error("hook");
  };
  const rejecting = () => Promise.reject(new Error("hook"));
  const logger = { info: throwing, warn: throwing, error: throwing };
  for (const hook of [throwing, rejecting]) {
    const options = { secret, onVerified: hook, onRejected: hook, onError: hook, logger, now: () => new Date(start) };
    expect((await verifyRequest(options, { rawHeaders: minuteHeaders })).ok).toBe(true);
    expect((await verifyRequest(options, { rawHeaders: [] })).ok).toBe(false);
    expect((await verifyRequest({ ...options, secret: throwing }, { rawHeaders: minuteHeaders })).ok).toBe(false);
  }
});

test("a scheme that throws results in a 503, with its error as the cause", async () => {
  const cause = new Error("broken scheme");
  const fail = () => {
    throw cause;
  };
  for (const broken of [{ parse: fail }, { verify: fail }, { verify: () => Promise.reject(cause) }]) {
    const onError = vi.fn();
    const scheme = { ...timestampDigest(), ...broken } as SignatureScheme;
    const verification = await verifyRequest(
      { secret, scheme, onError, now: () => new Date(start) },
      { rawHeaders: minuteHeaders },
    );
    expect(verification).toMatchObject({ ok: false, response: { status: 503 } });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "signature_scheme_error", cause }));
  }
});

test("a clock that throws results in a 500, with its error as the cause, and the call still resolves", async () => {
  const cause = new Error("broken clock");
  const now = () => {
    throw cause;
  };
  const onError = vi.fn();
  const verification = await verifyRequest({ secret, now, onError }, { rawHeaders: minuteHeaders });
  expect(verification).toMatchObject({ ok: false, response: { status: 500 } });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "internal_error", cause }));
});

test("a scheme that signs the body is never called without a body", async () => {
  const verify = vi.fn();
  const scheme = { ...timestampDigest(), signsBody: true, verify };
  const onError = vi.fn();
  const options = { ...quiet, secret, scheme, maxBodyBytes: 3, onError, now: () => new Date(start) };
  const statusFor = async (body?: Uint8Array) => {
    const verification = await verifyRequest(options, { rawHeaders: minuteHeaders, ...(body && { body }) });
    return verification.ok ? 200 : verification.response.status;
  };
  expect([await statusFor(), await statusFor(Buffer.from("1234")), verify.mock.calls.length]).toEqual([500, 413, 0]);
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "body_already_consumed" }));
  expect([await statusFor(Buffer.from("123")), verify.mock.calls[0]?.[2]]).toEqual([401, Buffer.from("123")]);
});

test("verifyRequest accepts only signed headers, and its promise never rejects", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.constantFrom(...minuteHeaders)), { maxLength: 8 }),
      async (rawHeaders) => {
        const verification = await verifyRequest({ ...quiet, secret, now: () => new Date(start) }, { rawHeaders });
        if (verification.ok) expect(rawHeaders).toEqual(expect.arrayContaining(minuteHeaders));
        else expect(verification.response.status).toBe(401);
      },
    ),
  ));
