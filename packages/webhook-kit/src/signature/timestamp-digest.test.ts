import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { isWebhookKitError } from "../errors/errors.ts";
import { timestampDigest } from "./timestamp-digest.ts";

// Created with openssl. Each vector contains the command that printed it.
const { vectors } = JSON.parse(
  readFileSync(new URL("../../../../spec/vectors/timestamp-digest.json", import.meta.url), "utf8"),
) as { vectors: { timestamp: string; secret: string; variant: "sha256" | "hmac"; digest: string }[] };

const headersFrom = (timestamp: string, digest: string) => ["Timestamp", timestamp, "Authorization", `hmac ${digest}`];

function verify(scheme: ReturnType<typeof timestampDigest>, rawHeaders: string[], secrets: string[]) {
  const parsed = scheme.parse(rawHeaders);
  return "code" in parsed ? parsed.code : scheme.verify(parsed, secrets, undefined);
}

describe.each(vectors)(
  "openssl's $variant digest for $timestamp with $secret",
  ({ timestamp, secret, variant, digest }) => {
    const otherVariant = variant === "hmac" ? "sha256" : "hmac";

    test.each([digest, digest.toUpperCase()])(
      "the default scheme accepts the digest and reports its variant [D-15] [interface: Authentication 4]",
      (digits) =>
        expect(verify(timestampDigest(), headersFrom(timestamp, digits), ["another", secret])).toEqual({
          secretIndex: 1,
          variant,
        }),
    );

    test("a scheme with a single variant accepts only that digest [D-15]", () => {
      expect(verify(timestampDigest({ variant }), headersFrom(timestamp, digest), [secret])).toEqual({
        secretIndex: 0,
        variant,
      });
      expect(
        verify(timestampDigest({ variant: otherVariant }), headersFrom(timestamp, digest), [secret]),
      ).toBeUndefined();
    });

    test("the scheme rejects the digest with any other secret or timestamp [interface: Authentication 4]", () => {
      expect(
        verify(timestampDigest(), headersFrom(timestamp, digest), [`${secret}x`, secret.slice(1)]),
      ).toBeUndefined();
      const sameInstant = timestamp.endsWith("Z") ? timestamp.replace("Z", "+00:00") : timestamp.replace("+00:00", "Z");
      expect(verify(timestampDigest(), headersFrom(sameInstant, digest), [secret])).toBeUndefined();
    });
  },
);

test.each([
  ["auto", "sha256"],
  ["sha256", "sha256"],
  ["hmac", "hmac"],
] as const)("the variant %s signs like openssl's %s, in upper case [D-15]", (variant, signedVariant) => {
  const timestamp = "2026-11-20T09:30:00.123Z";
  for (const vector of vectors.filter(
    (candidate) => candidate.timestamp === timestamp && candidate.variant === signedVariant,
  ))
    expect(timestampDigest({ variant }).sign({ secret: vector.secret, now: new Date(timestamp) })).toEqual({
      Timestamp: timestamp,
      Authorization: `hmac ${vector.digest.toUpperCase()}`,
    });
});

test("the result contains the index of the first matching secret", () => {
  const { Timestamp, Authorization } = timestampDigest().sign({ secret: "same", now: new Date(0) });
  const rawHeaders = ["Timestamp", Timestamp, "Authorization", Authorization];
  expect(verify(timestampDigest(), rawHeaders, ["other", "same", "same"])).toEqual({
    secretIndex: 1,
    variant: "sha256",
  });
});

const sigV4 =
  "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-date, Signature=fe5f80";
const digest = 'Digest username="Mufasa, the king", realm="http-auth@example.org", uri="/dir/index.html", qop=auth';

test.each([
  [[], "missing_timestamp"],
  [["Authorization", "hmac 00"], "missing_timestamp"],
  [["Timestamp", "2018-11-26T10:55Z"], "missing_authorization"],
  [["Timestamp", "yesterday", "Authorization", "hmac 00"], "malformed_timestamp"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "hmac 00"], "malformed_authorization"],
  [["Timestamp", "2018-11-26T10:55Z", "TIMESTAMP", "2018-11-26T10:55Z"], "duplicate_header"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "a", "authorization", "b"], "duplicate_header"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "a, b"], "duplicate_header"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "hmac 00, "], "duplicate_header"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "Bearer a, Basic YQ=="], "duplicate_header"],
  [["Timestamp", "2018-11-26T10:55Z, 2018-11-26T10:55Z", "Authorization", "hmac 00"], "duplicate_header"],
  // The example in AWS's documentation of SigV4, shortened, and the one in RFC 7616, section 3.9.1.
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", sigV4], "malformed_authorization"],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", digest], "malformed_authorization"],
  [["Timestamp", "Mon, 26 Nov 2018 10:55:00 GMT", "Authorization", "hmac 00"], "malformed_timestamp"],
])("the code for %j is %s", (rawHeaders, reason) => expect(verify(timestampDigest(), rawHeaders, ["s"])).toBe(reason));

test("the message suggests that a proxy strips Authorization if only that header is missing", () =>
  expect(timestampDigest().parse(["Timestamp", "2018-11-26T10:55Z"])).toEqual(
    expect.objectContaining({ message: expect.stringContaining("proxy") }),
  ));

test("timestampDigest rejects an unknown variant", () =>
  expect(() => timestampDigest({ variant: "both" as "auto" })).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  ));

test.each(["", " ", "secret\n", " secret"])("sign rejects the secret %j", (secret) =>
  expect(() => timestampDigest().sign({ secret, now: new Date() })).toThrow(
    expect.objectContaining({ code: "invalid_secret" }),
  ),
);

// The last two are the millisecond before the year 0 and the millisecond after the year 9999, as `date -u -d @…` confirms.
test.each([Number.NaN, -62_167_219_200_001, 253_402_300_800_000])("sign rejects the date %d", (time) =>
  expect(() => timestampDigest().sign({ secret: "secret", now: new Date(time) })).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  ),
);

const secretText = fc.string({ minLength: 1, unit: "grapheme" });
const time = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
const variants = fc.constantFrom("auto" as const, "sha256" as const, "hmac" as const);

test("the scheme verifies everything that it signs, but not with a different secret", () =>
  fc.assert(
    fc.property(secretText, secretText, time, variants, (secret, otherSecret, now, variant) => {
      const scheme = timestampDigest({ variant });
      let headers: { Timestamp: string; Authorization: string };
      try {
        headers = scheme.sign({ secret, now });
      } catch (error) {
        expect(isWebhookKitError(error)).toBe(true);
        return;
      }
      const rawHeaders = ["Timestamp", headers.Timestamp, "Authorization", headers.Authorization];
      expect(verify(scheme, rawHeaders, [secret])).toMatchObject({ secretIndex: 0 });
      if (otherSecret !== secret) expect(verify(scheme, rawHeaders, [otherSecret])).toBeUndefined();
    }),
  ));

test("parse and verify never throw for arbitrary headers", () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        time.map((date) => date.toISOString()),
      ),
      fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^hmac [0-9a-f]{64}$/)),
      (timestamp, authorization) => {
        const outcome = verify(timestampDigest(), ["Timestamp", timestamp, "Authorization", authorization], ["secret"]);
        expect(typeof outcome === "string" || outcome === undefined).toBe(true);
      },
    ),
  ));

test("the scheme has the name timestamp-digest, challenges with hmac and ignores the body", () =>
  expect(timestampDigest()).toMatchObject({ name: "timestamp-digest", wwwAuthenticate: "hmac", signsBody: false }));

test.each([
  [["Timestamp", "2018-11-26T10:55Z", "timestamp", ""], /sent twice/],
  [[], /no Timestamp header/],
  [
    ["Timestamp", "yesterday", "Authorization", "hmac 00"],
    /not an ISO 8601 date-time with a time zone, such as 2018-11-26T10:55:00Z, or 2018-11-26T10:55Z/,
  ],
  [["Timestamp", "2018-11-26T10:55Z", "Authorization", "hmac 00"], /the word hmac, a space and 64 hexadecimal digits/],
])("parse explains why it rejects %j", (rawHeaders, message) =>
  expect(timestampDigest().parse(rawHeaders)).toEqual(
    expect.objectContaining({ message: expect.stringMatching(message) }),
  ),
);

test("the error names the invalid option", () => {
  expect(() => timestampDigest({ variant: "both" as "auto" })).toThrow(/^variant must be "auto"/);
  expect(() => timestampDigest().sign({ secret: "secret", now: new Date("?") })).toThrow(/^now must be a valid Date/);
});
