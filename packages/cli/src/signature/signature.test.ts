import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { signRequest } from "./sign-request.ts";
import { verifyRequest } from "./verify-request.ts";

const readVectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../spec/vectors/${name}.json`, import.meta.url), "utf8")) as {
    vectors: never[];
  };

// openssl computed the vectors. Each vector contains the command.
const digests: { timestamp: string; secret: string; variant: "sha256" | "hmac"; digest: string }[] =
  readVectors("timestamp-digest").vectors;
const messages: { id: string; timestamp: string; secret: string; bodyHex: string; signature: string }[] =
  readVectors("standard-webhooks").vectors;

describe.each(digests)(
  "the $variant digest that openssl computed for $timestamp",
  ({ timestamp, secret, digest, variant }) => {
    const rawHeaders = ["Timestamp", timestamp, "Authorization", `hmac ${digest}`];
    const now = Date.parse(timestamp);

    test("verifyRequest accepts it with the correct secret and rejects it with a different secret", () => {
      const request = { rawHeaders, body: Buffer.of() };
      expect(verifyRequest("timestampDigest", secret, request, now)).toMatchObject({
        ok: true,
        variant: variant === "hmac" ? "HMAC-SHA-256" : "SHA-256",
      });
      expect(verifyRequest("timestampDigest", `${secret}x`, request, now)).toMatchObject({
        reason: "signature_mismatch",
      });
    });
  },
);

test.each([
  ["Mon, 26 Nov 2018 10:55:00 GMT", "hmac 00", "malformed_timestamp"],
  [
    "2018-11-26T10:55Z",
    "AWS4-HMAC-SHA256 Credential=AKIA/s3, SignedHeaders=host, Signature=fe5f80",
    "malformed_authorization",
  ],
  ["2018-11-26T10:55Z", "hmac 00, hmac 00", "duplicate_header"],
])("verifyRequest rejects the headers %j and %j with %s", (timestamp, authorization, reason) => {
  const rawHeaders = ["Timestamp", timestamp, "Authorization", authorization];
  expect(verifyRequest("timestampDigest", "s", { rawHeaders, body: Buffer.of() }, 0)).toMatchObject({ reason });
});

test.each(messages)("signs and verifies $id like openssl", ({ id, timestamp, secret, bodyHex, signature }) => {
  const content = Buffer.from(bodyHex, "hex");
  const now = new Date(Number(timestamp) * 1000);
  const headers = signRequest("standardWebhooks", secret, { now, id, body: content });
  expect(Object.fromEntries(headers)["webhook-signature"]).toBe(`v1,${signature}`);
  const request = { rawHeaders: headers.flat(), body: content };
  expect(verifyRequest("standardWebhooks", secret, request, now.getTime())).toMatchObject({ ok: true });
  expect(
    verifyRequest("standardWebhooks", secret, { ...request, body: Buffer.concat([content, content]) }, now.getTime())
      .ok,
  ).toBe(content.length === 0);
});
