import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./passwords.ts";

// python3 -c 'import hashlib,base64; print(base64.urlsafe_b64encode(hashlib.scrypt(b"demo-password",
//   salt=b"0123456789abcdef", n=2**15, r=8, p=3, maxmem=2**26, dklen=32)).decode().rstrip("="))'
const kept = "scrypt$32768$8$3$MDEyMzQ1Njc4OWFiY2RlZg$UZGTFTbCRXw2kMQOQwmjkjr99AYHsWc_-V0itH5k0Z4";

test("verifies a password against another tool's hash", async () => {
  expect(await verifyPassword("demo-password", kept)).toBe(true);
  expect(await verifyPassword("demo-passwore", kept)).toBe(false);
});

// The same with n=2**14 and p=1.
test("verifies a password against a hash of another cost", async () => {
  const older = "scrypt$16384$8$1$MDEyMzQ1Njc4OWFiY2RlZg$gFgNs58CZDm5o6FKvIRPf_brGHumYGCOr5W8vj4-JVQ";
  expect(await verifyPassword("demo-password", older)).toBe(true);
  expect(await verifyPassword("demo-passwore", older)).toBe(false);
});

test("verifies its own hashes, which are all different", async () => {
  const [first, second] = await Promise.all([hashPassword("one"), hashPassword("one")]);
  expect(first).not.toBe(second);
  expect(await verifyPassword("one", second)).toBe(true);
});

test.each([
  undefined,
  "",
  "scrypt$32768$8$3$$",
  "plain",
  "scrypt$1073741824$8$3$MDEy$QUJD",
  "scrypt$3$8$1$MDEy$QUJD",
  "scrypt$NaN$8$1$MDEy$QUJD",
  "scrypt$16384$8$0$MDEy$QUJD",
])("no password fits %j", async (odd) => expect(await verifyPassword("", odd)).toBe(false));
