import { parseDateTime } from "@offers/contract/date-time";
import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { decodeParameters, findRoute } from "../../src/endpoints/endpoints.ts";
import { duplicated, findHeader } from "../../src/http/request.ts";
import {
  decodeBase64,
  decodeStandardWebhooksKey,
  parseWebhookSignature,
} from "../../src/signature/standard-webhooks.ts";
import { parseAuthorization } from "../../src/signature/timestamp-digest.ts";
import { almostValidText, anyText, instant, runOptions } from "../support/property-runs.ts";

describe("parseDateTime", () => {
  const validText = fc
    .tuple(
      // Excludes the last year, so that the year in UTC has four digits with every offset.
      instant.filter((date) => date.getUTCFullYear() < 9999),
      // The lengths of a time that ends after the minutes, the seconds, or one to three decimals.
      fc.constantFrom(16, 19, 21, 22, 23),
      fc.constantFrom("Z", "+00:00", "-00:00", "+05:45", "-23:59", "z"),
    )
    .map(([date, length, zone]) => date.toISOString().slice(0, length) + zone);

  test("parseDateTime parses times of every precision like Date, and a minute as a range", () =>
    fc.assert(
      fc.property(validText, (text) => {
        const time = parseDateTime(text);
        expect(time?.earliest).toBeCloseTo(Date.parse(text), 3);
        expect((time?.latest ?? 0) - (time?.earliest ?? 0)).toBe(/T..:..(?:Z|[+-])/i.test(text) ? 59_999 : 0);
      }),
      runOptions(1_000),
    ));

  test("parseDateTime accepts only strings that Date accepts, and never throws", () =>
    fc.assert(
      fc.property(fc.oneof(anyText, almostValidText(validText), fc.stringMatching(/^[0-9TZ:.+-]{0,30}$/)), (text) => {
        const time = parseDateTime(text);
        if (!time) return;
        expect(Math.abs(time.earliest - Date.parse(text.toUpperCase()))).toBeLessThan(1);
        expect(text).toMatch(/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/);
      }),
      runOptions(1_000),
    ));
});

describe("parseAuthorization", () => {
  const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const validText = fc.mixedCase(digest.map((bytes) => `hmac ${Buffer.from(bytes).toString("hex")}`));

  test("parseAuthorization parses any 32 bytes in upper-case or lower-case hexadecimal digits", () =>
    fc.assert(
      fc.property(digest, fc.boolean(), (bytes, isUpperCase) => {
        const hex = Buffer.from(bytes).toString("hex");
        const text = `hmac ${hex}`;
        expect(parseAuthorization(isUpperCase ? text.toUpperCase() : text)).toEqual(Buffer.from(bytes));
      }),
      runOptions(500),
    ));

  test("parseAuthorization returns the same bytes only for strings that differ in case and spaces, and never throws", () =>
    fc.assert(
      fc.property(fc.oneof(anyText, validText, almostValidText(validText)), (text) => {
        const bytes = parseAuthorization(text);
        if (bytes) expect(text.toLowerCase().replace(/ +/, " ")).toBe(`hmac ${bytes.toString("hex")}`);
      }),
      runOptions(1_000),
    ));
});

describe("base64", () => {
  const bytes = fc.uint8Array({ maxLength: 70 });

  test("every base64 key is decoded, with or without its prefix", () =>
    fc.assert(
      fc.property(bytes, (key) => {
        const text = Buffer.from(key).toString("base64");
        expect(decodeBase64(text)).toEqual(Buffer.from(key));
        for (const secret of [text, `whsec_${text}`])
          expect(decodeStandardWebhooksKey(secret)).toEqual(key.length === 0 ? undefined : Buffer.from(key));
      }),
      runOptions(500),
    ));

  test("different base64 strings never decode to the same bytes, and nothing is thrown", () =>
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.base64String(), almostValidText(bytes.map((key) => Buffer.from(key).toString("base64")))),
        (text) => {
          const decoded = decodeBase64(text);
          if (decoded) expect(decoded.toString("base64")).toBe(text);
          if (decodeStandardWebhooksKey(text)) expect(text).not.toMatch(/^(?:whsec_)?$/);
        },
      ),
      runOptions(1_000),
    ));

  const list = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { minLength: 1, maxLength: 16 });
  const formatSignatures = (signatures: readonly Uint8Array[]) =>
    signatures.map((signature) => `v1,${Buffer.from(signature).toString("base64")}`).join(" ");

  test("parseWebhookSignature parses every list of signatures", () =>
    fc.assert(
      fc.property(list, (signatures) => {
        expect(parseWebhookSignature(formatSignatures(signatures))).toEqual(
          signatures.map((signature) => Buffer.from(signature)),
        );
      }),
      runOptions(300),
    ));

  test("parseWebhookSignature returns only signatures that the list contains exactly", () =>
    fc.assert(
      fc.property(fc.oneof(anyText, almostValidText(list.map(formatSignatures))), (text) => {
        for (const signature of parseWebhookSignature(text) ?? [])
          expect(text.split(" ")).toContain(`v1,${signature.toString("base64")}`);
      }),
      runOptions(1_000),
    ));
});

describe("findHeader", () => {
  const name = fc.oneof(fc.mixedCase(fc.constantFrom("timestamp", "webhook-id", "timestamp ", "time")), anyText);

  test("findHeader ignores the case of the name, and returns neither value if there are two", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(name, anyText), { maxLength: 12 }), (rawHeaders) => {
        const pairs = Array.from({ length: Math.floor(rawHeaders.length / 2) }, (_, index) =>
          rawHeaders.slice(2 * index, 2 * index + 2),
        );
        const values = pairs.filter(([headerName = ""]) => /^timestamp$/i.test(headerName)).map(([, value]) => value);
        expect(findHeader(rawHeaders, "timestamp")).toBe(values.length > 1 ? duplicated : values[0]);
      }),
      runOptions(1_000),
    ));
});

describe("findRoute", () => {
  const slash = fc.constantFrom("", "/");
  const knownPath =
    /^\/+(test|test\/auth|contact-suggestions|offer\/response|offer\/eventDeleted|events\/timelineChanged)\/?$/;
  const contactPath = /^\/+contact\/new\/([^/]+)\/?$/;
  const path = fc.oneof(
    anyText,
    anyText.map((text) => `/contact/new/${text}`),
    almostValidText(
      fc.constantFrom("/test", "/test/auth", "/contact/new/amal", "/offer/response", "//offer/eventDeleted/"),
    ),
  );

  test("findRoute finds only the contract's paths, with one trailing or several leading slashes", () =>
    fc.assert(
      fc.property(path, (text) => {
        const route = findRoute(text);
        expect(route !== undefined).toBe(knownPath.test(text) || contactPath.test(text));
        if (!route) return;
        const decoded = decodeParameters(route.parameters);
        const [, workerId] = contactPath.exec(text) ?? [];
        expect(Object.keys(decoded)).toEqual(workerId === undefined ? [] : ["workerId"]);
        expect(route.parameters.workerId).toBe(workerId);
      }),
      runOptions(1_000),
    ));

  test("decodeParameters decodes any id that a sender encodes, and returns undefined for an invalid encoding", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), slash, slash, (workerId, before, after) => {
        const workerPath = `${before}/contact/new/${encodeURIComponent(workerId)}`;
        expect(decodeParameters(findRoute(workerPath + after)?.parameters ?? {})).toEqual({ workerId });
        for (const invalidEncoding of ["%", "%2", "%zz", "%ff", "%c0%80"])
          expect(decodeParameters(findRoute(workerPath + invalidEncoding)?.parameters ?? {})).toEqual({
            workerId: undefined,
          });
      }),
      runOptions(500),
    ));
});
