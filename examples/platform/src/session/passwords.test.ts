import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./passwords.ts";

// python3 -c 'import hashlib,base64; print(base64.urlsafe_b64encode(hashlib.scrypt(b"demo-password",
//   salt=b"0123456789abcdef", n=2**15, r=8, p=3, maxmem=2**26, dklen=32)).decode().rstrip("="))'
const kept = "scrypt$32768$8$3$MDEyMzQ1Njc4OWFiY2RlZg$UZGTFTbCRXw2kMQOQwmjkjr99AYHsWc_-V0itH5k0Z4";

test("knows a password by a hash that another tool made", async () => {
  expect(await verifyPassword("demo-password", kept)).toBe(true);
  expect(await verifyPassword("demo-passwore", kept)).toBe(false);
});

test("knows its own hashes, no two of which are alike", async () => {
  const [first, second] = await Promise.all([hashPassword("one"), hashPassword("one")]);
  expect(first).not.toBe(second);
  expect(await verifyPassword("one", second)).toBe(true);
});

test.each([undefined, "", "scrypt$32768$8$3$$", "plain"])("no password fits %j", async (odd) =>
  expect(await verifyPassword("", odd)).toBe(false),
);
