import { expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { parseAuthorization } from "./timestamp-digest.ts";

// The example in the live service's public API documentation; printf '%s' test | openssl dgst -sha256
const digits = "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08";

// RFC 9110, section 11.4: auth-scheme, in any case, and one or more spaces.
test.each([
  `hmac ${digits}`,
  `HMAC ${digits}`,
  `Hmac ${digits.toLowerCase()}`,
  `hmac  ${digits}`,
  `hMAC${" ".repeat(300)}${digits}`,
])("parseAuthorization accepts %s", (text) =>
  expect(parseAuthorization(text)?.toString("hex")).toBe(digits.toLowerCase()),
);

test.each([
  "",
  "hmac",
  "hmac ",
  digits,
  `hmac${digits}`,
  `hmac\t${digits}`,
  `hmac \t${digits}`,
  `hmac\u00a0${digits}`,
  `hmac ${digits} ${digits}`,
  ` hmac ${digits}`,
  `hmac ${digits} `,
  `hmac ${digits}\n`,
  `hmac ${digits}00`,
  `hmac ${digits}zz`,
  `hmac ${digits.slice(1)}`,
  `hmac ${digits.slice(2)}`,
  `hmac ${digits.slice(1)}g`,
  `hmac ${"é".repeat(64)}`,
  `hmac ${"０".repeat(64)}`,
  `hmac 0x${digits.slice(2)}`,
  `hmac ${digits}, hmac ${digits}`,
  `hmac ${digits},`,
  `hmac-sha256 ${digits}`,
  `Bearer ${digits}`,
  `Basic ${Buffer.from(digits).toString("base64")}`,
  `hmac="${digits}"`,
])("parseAuthorization rejects %j", (text) => expect(parseAuthorization(text)).toBeUndefined());

test("parseAuthorization returns 32 bytes or undefined for any string, and never throws", () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.string().map((text) => `hmac ${text}`),
      ),
      (text) => {
        expect([undefined, 32]).toContain(parseAuthorization(text)?.length);
      },
    ),
  ));
