import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createPasswordCheck, createScryptPasswords } from "./passwords.ts";

const tooManySignIns = (retryAfter: string) =>
  expect.objectContaining({ code: "too_many_sign_ins", status: 429, headers: { "Retry-After": retryAfter } });

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

const createTestCheck = () => createPasswordCheck({ verify: async (password) => password === "right" });

const attempt = (account: string, address = "192.0.2.1") => ({ account, address });

test("checks two passwords in parallel, queues sixteen, and rejects the next with Retry-After [D-55]", async () => {
  const finishChecks: (() => void)[] = [];
  const check = createPasswordCheck({ verify: () => new Promise((resolve) => finishChecks.push(() => resolve(true))) });
  const checked = Array.from({ length: 18 }, (_, index) => check(attempt(`worker ${index}`), "", undefined));
  await expect(check(attempt("worker 18"), "", undefined)).rejects.toEqual(tooManySignIns("1"));
  for (let finishedCount = 0; finishedCount < 18; finishedCount += 2) {
    expect(finishChecks).toHaveLength(2);
    for (const finishCheck of finishChecks.splice(0)) finishCheck();
    await expect.poll(() => finishChecks.length).toBe(finishedCount === 16 ? 0 : 2);
  }
  expect(await Promise.all(checked)).toEqual(Array.from({ length: 18 }, () => true));
});

test("locks an account for five minutes after ten wrong passwords from one address [D-55]", async () => {
  const check = createTestCheck();
  for (let count = 0; count < 10; count += 1) expect(await check(attempt("ann"), "wrong", undefined)).toBe(false);
  expect(await check(attempt("bo"), "right", undefined)).toBe(true);
  vi.setSystemTime(299_999);
  await expect(check(attempt("ann"), "right", undefined)).rejects.toEqual(tooManySignIns("1"));
  vi.setSystemTime(300_000);
  expect(await check(attempt("ann"), "right", undefined)).toBe(true);
});

test("resets the count of wrong passwords after a correct password", async () => {
  const check = createTestCheck();
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 9; count += 1) expect(await check(attempt("ann"), "wrong", undefined)).toBe(false);
    expect(await check(attempt("ann"), "right", undefined)).toBe(true);
  }
});

test("limits wrong passwords in concurrent sign-ins", async () => {
  const check = createPasswordCheck({ verify: async () => false });
  const attempts = await Promise.allSettled(
    Array.from({ length: 12 }, () => check(attempt("ann"), "wrong", undefined)),
  );
  expect(attempts.filter(({ status }) => status === "rejected")).toHaveLength(2);
});

test("does not lock out the owner at a different address, no matter how many wrong passwords one address sends [D-55]", async () => {
  const check = createTestCheck();
  for (let count = 0; count < 10; count += 1) await check(attempt("ann"), "wrong", undefined);
  for (let count = 0; count < 500; count += 1)
    await expect(check(attempt("ann"), "wrong", undefined)).rejects.toEqual(tooManySignIns("300"));
  expect(await check(attempt("ann", "192.0.2.2"), "right", undefined)).toBe(true);
  // An IPv6 /64 network counts as one address, because it belongs to one subscriber.
  for (let count = 0; count < 10; count += 1) await check(attempt("bo", `2001:db8::${count}`), "wrong", undefined);
  await expect(check(attempt("bo", "2001:db8::ffff"), "right", undefined)).rejects.toEqual(tooManySignIns("300"));
  expect(await check(attempt("bo", "2001:db8:0:1::1"), "right", undefined)).toBe(true);
});

test("accepts at most a hundred wrong passwords from ten addresses, even if the owner signs in in between [D-55]", async () => {
  const check = createTestCheck();
  for (let place = 0; place < 10; place += 1) {
    for (let count = 0; count < 10; count += 1) await check(attempt("ann", `192.0.2.${place}`), "wrong", undefined);
    if (place < 9) expect(await check(attempt("ann", "198.51.100.1"), "right", undefined)).toBe(true);
  }
  await expect(check(attempt("ann", "192.0.2.99"), "wrong", undefined)).rejects.toEqual(tooManySignIns("300"));
});

const { hash, verify } = createScryptPasswords({ N: 2, r: 1, p: 1 });

// python3 -c 'import hashlib,base64; print(base64.urlsafe_b64encode(hashlib.scrypt(b"demo-password",
//   salt=b"0123456789abcdef", n=2**15, r=8, p=3, maxmem=2**26, dklen=32)).decode().rstrip("="))'
const storedHash = "scrypt$32768$8$3$MDEyMzQ1Njc4OWFiY2RlZg$UZGTFTbCRXw2kMQOQwmjkjr99AYHsWc_-V0itH5k0Z4";

test("verifies a password against a hash from a different tool", async () => {
  expect(await verify("demo-password", storedHash)).toBe(true);
  expect(await verify("demo-passwore", storedHash)).toBe(false);
});

// Computed the same way, with n=2**14 and p=1.
test("verifies a password against a hash with a different cost", async () => {
  const older = "scrypt$16384$8$1$MDEyMzQ1Njc4OWFiY2RlZg$gFgNs58CZDm5o6FKvIRPf_brGHumYGCOr5W8vj4-JVQ";
  expect(await verify("demo-password", older)).toBe(true);
  expect(await verify("demo-passwore", older)).toBe(false);
});

test("hashes the same password differently each time, and verifies it", async () => {
  const [first, second] = await Promise.all([hash("one"), hash("one")]);
  expect(first).not.toBe(second);
  expect(await verify("one", second)).toBe(true);
});

test("uses OWASP's parameters by default", async () => {
  expect(await createScryptPasswords().hash("one")).toMatch(/^scrypt\$32768\$8\$3\$/);
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
])("rejects every password if the hash is %j", async (storedValue) =>
  expect(await verify("", storedValue)).toBe(false),
);
