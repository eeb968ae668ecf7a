import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import type { Rejection } from "../../src/errors/rejection.ts";
import { verifyRequest, type WebhookRequest } from "../../src/receive/verify-only.ts";
import { captureConsole } from "../support/capture-console.ts";
import { anyText, instant, runOptions } from "../support/property-runs.ts";
import { flipBit, headerPairs, schemes } from "./property-schemes.ts";

captureConsole();

describe.each(schemes)("verifyRequest under $name", ({ name, variants: [scheme], names, secret }) => {
  /** Generates dates far enough from both limits that the receiver's clock can be ahead or behind. */
  const signingTime = instant.filter((date) => date.getTime() > 1e12 && date.getTime() < 1e14);
  const messages = fc.record({ secret, now: signingTime, body: fc.uint8Array({ maxLength: 60 }) });

  /** Verifies a request and returns the status. Expects exactly one rejection with a 401, and none with any other error. */
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

  test("verifyRequest accepts a signed request within the tolerance in either direction, but not a millisecond beyond it", () =>
    fc.assert(
      fc.asyncProperty(
        messages,
        fc.integer({ min: -400_000, max: 400_000 }),
        fc.nat(300),
        async (message, offsetMs, tolerance) => {
          const rawHeaders = headerPairs(scheme.sign(message)).flat();
          const signedAtMs = message.now.getTime();
          // Standard Webhooks timestamps are whole seconds.
          const timestampMs = name === "standardWebhooks" ? Math.floor(signedAtMs / 1000) * 1000 : signedAtMs;
          const request = { rawHeaders, body: message.body };
          const toleranceMs = tolerance * 1000;
          for (const ms of [offsetMs, toleranceMs, toleranceMs + 1, -toleranceMs, -toleranceMs - 1])
            expect(await statusFor([message.secret], new Date(timestampMs + ms), request, tolerance)).toBe(
              Math.abs(ms) <= toleranceMs ? 200 : 401,
            );
        },
      ),
      runOptions(300),
    ));

  test("verifyRequest responds to arbitrary headers and bodies with 401, and reports one reason", () =>
    fc.assert(
      fc.asyncProperty(
        messages,
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

  test("verifyRequest responds with 401 to headers that were signed with another secret", () =>
    fc.assert(
      fc.asyncProperty(messages, fc.uint8Array({ minLength: 33, maxLength: 40 }), async (message, otherKey) => {
        const otherSecret = Buffer.from(otherKey).toString("base64");
        const rawHeaders = headerPairs(scheme.sign({ ...message, secret: otherSecret })).flat();
        const request = { rawHeaders, body: message.body };
        expect(await statusFor([message.secret], message.now, request)).toBe(401);
        expect(await statusFor([message.secret, otherSecret], message.now, request)).toBe(200);
      }),
      runOptions(300),
    ));

  test("verifyRequest responds with 401 after any bit of a header changes, unless only the case of a letter changes", () =>
    fc.assert(
      fc.asyncProperty(messages, fc.nat(), fc.constantFrom(...names), async (message, bit, name) => {
        const pairs = headerPairs(scheme.sign(message)).map(([header, text]) => [header.toLowerCase(), text] as const);
        const tamperedPairs = pairs.map(([header, text]) => {
          // Like Node, decodes header bytes as Latin-1.
          const tamperedText = flipBit(Buffer.from(text), bit).toString("latin1");
          const isSameHex = header === "authorization" && tamperedText.toLowerCase() === text.toLowerCase();
          return [header, header === name && !isSameHex ? tamperedText : text];
        });
        const rawHeaders = tamperedPairs.flat();
        const isUnchanged = rawHeaders.join("\n") === pairs.flat().join("\n");
        const status = await statusFor([message.secret], message.now, { rawHeaders, body: message.body });
        expect(status).toBe(isUnchanged ? 200 : 401);
      }),
      runOptions(500),
    ));

  test("if the scheme covers the body, verifyRequest responds with 401 to a modified body and with 500 to a missing body", () =>
    fc.assert(
      fc.asyncProperty(messages, fc.nat(), async (message, bit) => {
        const rawHeaders = headerPairs(scheme.sign(message)).flat();
        const tamperedBody = message.body.length === 0 ? Buffer.of(0) : flipBit(Buffer.from(message.body), bit);
        const signsBody = name === "standardWebhooks";
        expect(await statusFor([message.secret], message.now, { rawHeaders, body: tamperedBody })).toBe(
          signsBody ? 401 : 200,
        );
        expect(await statusFor([message.secret], message.now, { rawHeaders })).toBe(signsBody ? 500 : 200);
      }),
      runOptions(300),
    ));
});
