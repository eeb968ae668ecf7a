import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import type { Rejection } from "../../src/errors/rejection.ts";
import { verifyRequest, type WebhookRequest } from "../../src/receive/verify-only.ts";
import { captureConsole } from "../support/capture-console.ts";
import { anyText, instant, runOptions } from "../support/property-runs.ts";
import { flipBit, headerPairs, schemes } from "./property-schemes.ts";

captureConsole();

describe.each(schemes)("verifyRequest under $name", ({ name, variants: [scheme], names, secret }) => {
  /** A date far enough from both limits that the clock may be on either side of it. */
  const middle = instant.filter((date) => date.getTime() > 1e12 && date.getTime() < 1e14);
  const message = fc.record({ secret, now: middle, body: fc.uint8Array({ maxLength: 60 }) });

  /** Returns the status of the verification, and expects each 401 to report one reason. */
  async function statusFor(secrets: readonly string[], now: Date, request: WebhookRequest, toleranceSeconds = 300) {
    const rejections: Rejection[] = [];
    const onRejected = (rejection: Rejection) => rejections.push(rejection);
    const verification = await verifyRequest(
      { secret: secrets, scheme, now: () => now, toleranceSeconds, onRejected },
      request,
    );
    if (!verification.ok) expect(rejections.length).toBe(verification.response.status === 401 ? 1 : 0);
    return verification.ok ? 200 : verification.response.status;
  }

  test("accepts a signed request within the tolerance in either direction, and not a millisecond beyond it", () =>
    fc.assert(
      fc.asyncProperty(
        message,
        fc.integer({ min: -400_000, max: 400_000 }),
        fc.nat(300),
        async (each, offsetMs, tolerance) => {
          const rawHeaders = headerPairs(scheme.sign(each)).flat();
          // Unix seconds drop the fraction of a second.
          const signedAt =
            name === "standardWebhooks" ? Math.floor(each.now.getTime() / 1000) * 1000 : each.now.getTime();
          const request = { rawHeaders, body: each.body };
          for (const ms of [offsetMs, tolerance * 1000, tolerance * 1000 + 1, -tolerance * 1000, -tolerance * 1000 - 1])
            expect(await statusFor([each.secret], new Date(signedAt + ms), request, tolerance)).toBe(
              Math.abs(ms) <= tolerance * 1000 ? 200 : 401,
            );
        },
      ),
      runOptions(300),
    ));

  test("responds to arbitrary headers and bodies with 401, and reports one reason", () =>
    fc.assert(
      fc.asyncProperty(
        message,
        fc.array(
          fc.oneof(
            anyText,
            fc.constantFrom(...names, "hmac", "v1,", ",", " "),
            fc.mixedCase(fc.constantFrom(...names)),
          ),
        ),
        async ({ secret, now, body }, rawHeaders) => {
          expect(await statusFor([secret], now, { rawHeaders, body })).toBe(401);
        },
      ),
      runOptions(500),
    ));

  test("responds with 401 to headers that were signed with another secret", () =>
    fc.assert(
      fc.asyncProperty(message, fc.uint8Array({ minLength: 33, maxLength: 40 }), async (each, other) => {
        const otherSecret = Buffer.from(other).toString("base64");
        const rawHeaders = headerPairs(scheme.sign({ ...each, secret: otherSecret })).flat();
        const request = { rawHeaders, body: each.body };
        expect(await statusFor([each.secret], each.now, request)).toBe(401);
        expect(await statusFor([each.secret, otherSecret], each.now, request)).toBe(200);
      }),
      runOptions(300),
    ));

  test("responds with 401 after any bit of a header changes, unless only a letter's case changes", () =>
    fc.assert(
      fc.asyncProperty(message, fc.nat(), fc.constantFrom(...names), async (each, bit, changed) => {
        const signed = headerPairs(scheme.sign(each)).map(([header, text]) => [header.toLowerCase(), text] as const);
        const tampered = signed.map(([header, text]) => {
          const flipped = flipBit(Buffer.from(text), bit).toString("latin1");
          const isSameHex = header === "authorization" && flipped.toLowerCase() === text.toLowerCase();
          return [header, header === changed && !isSameHex ? flipped : text];
        });
        const isSame = tampered.flat().join("\n") === signed.flat().join("\n");
        const status = await statusFor([each.secret], each.now, { rawHeaders: tampered.flat(), body: each.body });
        expect(status).toBe(isSame ? 200 : 401);
      }),
      runOptions(500),
    ));

  test("responds with 401 to a modified body if the scheme covers it, and with 500 if it is missing", () =>
    fc.assert(
      fc.asyncProperty(message, fc.nat(), async (each, bit) => {
        const rawHeaders = headerPairs(scheme.sign(each)).flat();
        const tamperedBody = each.body.length === 0 ? Buffer.of(0) : flipBit(Buffer.from(each.body), bit);
        const signsBody = name === "standardWebhooks";
        expect(await statusFor([each.secret], each.now, { rawHeaders, body: tamperedBody })).toBe(
          signsBody ? 401 : 200,
        );
        expect(await statusFor([each.secret], each.now, { rawHeaders })).toBe(signsBody ? 500 : 200);
      }),
      runOptions(300),
    ));
});
