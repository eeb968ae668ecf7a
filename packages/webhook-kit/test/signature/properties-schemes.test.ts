import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { almostValidText, anyText, instant, runOptions } from "../support/property-runs.ts";
import { flipBit, headerPairs, type SchemeCase, schemes, verify } from "./property-schemes.ts";

/** Generates a message, the secret that signs it, and a variant of the scheme. */
const arbitrarySignedMessage = ({ variants, secret }: SchemeCase) =>
  fc.record({
    scheme: fc.constantFrom(...variants),
    secret,
    now: instant,
    body: fc.uint8Array({ maxLength: 40 }),
    id: fc.stringMatching(/^[\w-]{1,30}$/),
  });

const [timestampDigestCase, standardWebhooksCase] = schemes;

describe.each(schemes)("$name", (schemeCase) => {
  const { names, secret } = schemeCase;
  const messages = arbitrarySignedMessage(schemeCase);

  test("a scheme verifies everything that it signs, reports the secret, and rejects other secrets", () =>
    fc.assert(
      fc.property(
        messages,
        fc.array(secret, { maxLength: 4 }),
        fc.nat(4),
        ({ scheme, ...message }, generatedSecrets, index) => {
          const rawHeaders = headerPairs(scheme.sign(message)).flat();
          const otherSecrets = generatedSecrets.filter((generated) => !schemeCase.isSameKey(generated, message.secret));
          const secrets = otherSecrets.toSpliced(index, 0, message.secret);
          expect(verify(scheme, rawHeaders, secrets, message.body)).toMatchObject({
            secretIndex: secrets.indexOf(message.secret),
          });
          expect(verify(scheme, rawHeaders, otherSecrets, message.body)).toBeUndefined();
        },
      ),
      runOptions(500),
    ));

  test("a scheme ignores the order of headers, other headers and the case of names", () => {
    const headers = fc.array(fc.tuple(fc.oneof(anyText, fc.constantFrom("host", "date", "x-webhook-id")), anyText));
    return fc.assert(
      fc.property(messages, headers, fc.infiniteStream(fc.nat()), ({ scheme, ...message }, otherHeaders, ranks) => {
        const signatureHeaders = headerPairs(scheme.sign(message));
        const ignoredHeaders = otherHeaders.filter(([name]) => !names.includes(name.toLowerCase()));
        const shuffled = [...signatureHeaders.map(([name, value]) => [name.toUpperCase(), value]), ...ignoredHeaders]
          .map((pair) => ({ pair, rank: ranks.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .flatMap(({ pair }) => pair);
        expect(verify(scheme, shuffled, [message.secret], message.body)).toEqual(
          verify(scheme, signatureHeaders.flat(), [message.secret], message.body),
        );
        expect(scheme.parse(shuffled)).toEqual(scheme.parse(signatureHeaders.flat()));
      }),
      runOptions(500),
    );
  });

  test("a scheme rejects a header that is sent twice, whatever the second value", () =>
    fc.assert(
      fc.property(
        messages,
        fc.constantFrom(...names),
        anyText,
        fc.nat(9),
        ({ scheme, ...message }, name, value, index) => {
          const pairs = headerPairs(scheme.sign(message));
          const withDuplicate = pairs.toSpliced(index, 0, [name, value]).flat();
          expect(verify(scheme, withDuplicate, [message.secret], message.body)).toBe("duplicate_header");
          const [, validValue = ""] = pairs.find(([header]) => header.toLowerCase() === name) ?? [];
          const joinedValues = [`${validValue}, ${value}`, `${value}, ${validValue}`, `${validValue},${validValue}`];
          for (const joinedValue of joinedValues) {
            const rawHeaders = pairs.flatMap(([header, text]) => [
              header,
              header.toLowerCase() === name ? joinedValue : text,
            ]);
            expect(verify(scheme, rawHeaders, [message.secret], message.body)).toEqual(expect.any(String));
          }
        },
      ),
      runOptions(300),
    ));

  test("a scheme rejects a message after any bit of a signed header changes", () =>
    fc.assert(
      fc.property(messages, fc.nat(), fc.constantFrom(...names), ({ scheme, ...message }, bit, name) => {
        const pairs = headerPairs(scheme.sign(message));
        // Like Node, decodes header bytes as Latin-1.
        const tampered = pairs.map(([header, text]): [string, string] =>
          header.toLowerCase() === name ? [header, flipBit(Buffer.from(text), bit).toString("latin1")] : [header, text],
        );
        const outcome = verify(scheme, tampered.flat(), [message.secret], message.body);
        // Hexadecimal digits and the word hmac are case-insensitive, so flipping only a case bit does not invalidate them.
        if (typeof outcome === "object") {
          expect(tampered.flat().join().toLowerCase()).toBe(pairs.flat().join().toLowerCase());
          expect(name).toBe("authorization");
        }
      }),
      runOptions(1_000),
    ));

  test("a scheme never accepts an unsigned message, and never throws", () =>
    fc.assert(
      fc.property(
        messages,
        fc.array(fc.oneof(anyText, fc.constantFrom(...names)), { maxLength: 8 }),
        anyText,
        ({ scheme, ...message }, arbitraryHeaders, text) => {
          const outcome = verify(scheme, arbitraryHeaders, [message.secret], message.body);
          expect(typeof outcome).toBe("string");
          // Replaces one valid header with an arbitrary value, which may be well formed.
          for (const name of names) {
            const otherHeaders = headerPairs(scheme.sign(message)).filter(([header]) => header.toLowerCase() !== name);
            const forgedHeaders = [...otherHeaders.flat(), name, text];
            const forgedOutcome = verify(scheme, forgedHeaders, [message.secret], message.body);
            expect(["string", "undefined"]).toContain(typeof forgedOutcome);
          }
        },
      ),
      runOptions(500),
    ));

  test("a scheme rejects a signature that is almost valid", () =>
    fc.assert(
      fc.property(
        messages.chain(({ scheme, ...message }) => {
          const pairs = headerPairs(scheme.sign(message));
          const [name, signature] = pairs.at(-1) ?? ["", ""];
          const otherHeaders = pairs.slice(0, -1).flat();
          return almostValidText(fc.constant(signature)).map((text) => ({
            scheme,
            message,
            signature,
            text,
            rawHeaders: [...otherHeaders, name, text],
          }));
        }),
        ({ scheme, message, signature, text, rawHeaders }) => {
          const outcome = verify(scheme, rawHeaders, [message.secret], message.body);
          if (typeof outcome === "object") expect(text.toLowerCase()).toBe(signature.toLowerCase());
        },
      ),
      runOptions(500),
    ));

  test("a scheme throws a ConfigurationError for every secret that it cannot sign with", () =>
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constant(`${"x".repeat(20)}\n`)), instant, (text, now) => {
        const [scheme] = schemeCase.variants;
        try {
          const rawHeaders = headerPairs(scheme.sign({ secret: text, now })).flat();
          expect(verify(scheme, rawHeaders, [text], Buffer.of())).toMatchObject({ secretIndex: 0 });
        } catch (error) {
          expect(error).toMatchObject({ name: "ConfigurationError", code: "invalid_secret" });
        }
      }),
      runOptions(500),
    ));
});

test("changing any bit of a body that standardWebhooks signed invalidates its signature", () =>
  fc.assert(
    fc.property(arbitrarySignedMessage(standardWebhooksCase), fc.nat(), ({ scheme, ...message }, bit) => {
      const rawHeaders = headerPairs(scheme.sign(message)).flat();
      const outcome = verify(scheme, rawHeaders, [message.secret], flipBit(Buffer.from(message.body), bit));
      expect(outcome).toEqual(message.body.length === 0 ? { secretIndex: 0, variant: "v1" } : undefined);
    }),
    runOptions(1_000),
  ));

test("a standardWebhooks signature is invalid if the id, timestamp and body are split at different dots", () =>
  fc.assert(
    fc.property(
      arbitrarySignedMessage(standardWebhooksCase),
      fc.stringMatching(/^[0-9]{1,12}[.][0-9.{}]{0,9}$/),
      fc.nat(),
      (generatedMessage, text, dotIndex) => {
        const { scheme, ...message } = { ...generatedMessage, body: Buffer.from(text) };
        const headers = standardWebhooks().sign(message);
        const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
        const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), message.body]);
        // Ends the id and the timestamp at two different dots in the signed bytes.
        const dots = [...content.keys()].filter((index) => content[index] === 0x2e);
        const [first = 0, second = 0] = [dots[dotIndex % dots.length], dots[(dotIndex + 1) % dots.length]].sort(
          (a = 0, b = 0) => a - b,
        );
        // Skips splits that leave the id unchanged.
        if (first === id.length) return;
        const forgedHeaders = {
          ...headers,
          "webhook-id": content.subarray(0, first).toString("latin1"),
          "webhook-timestamp": content.subarray(first + 1, second).toString("latin1"),
        };
        const forgedBody = content.subarray(second + 1);
        const outcome = verify(scheme, headerPairs(forgedHeaders).flat(), [message.secret], forgedBody);
        expect(["string", "undefined"]).toContain(typeof outcome);
      },
    ),
    runOptions(500),
  ));

test("timestampDigest rejects a variant that is not configured", () =>
  fc.assert(
    fc.property(arbitrarySignedMessage(timestampDigestCase), ({ secret, now }) => {
      const sha256 = timestampDigest({ variant: "sha256" });
      const hmac = timestampDigest({ variant: "hmac" });
      for (const [signer, verifier] of [
        [sha256, hmac],
        [hmac, sha256],
      ] as const) {
        const rawHeaders = headerPairs(signer.sign({ secret, now })).flat();
        expect(verify(verifier, rawHeaders, [secret], undefined)).toBeUndefined();
        expect(verify(timestampDigest(), rawHeaders, [secret], undefined)).toMatchObject({ secretIndex: 0 });
      }
    }),
    runOptions(300),
  ));
