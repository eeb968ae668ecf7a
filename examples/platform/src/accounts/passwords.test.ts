import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createScryptPasswords, limitPasswords } from "./passwords.ts";
import { limitInMemory } from "./rate-limits.ts";

const tooManySignIns = (retryAfter: string) =>
  expect.objectContaining({ code: "too_many_sign_ins", status: 429, headers: { "Retry-After": retryAfter } });

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

const limitVerify = (verifyPassword: (password: string) => Promise<boolean>) =>
  limitPasswords({ hash: async () => "", verify: verifyPassword }, limitInMemory).verify;
const createTestCheck = () => limitVerify(async (password) => password === "right");

const attempt = (account: string, address = "192.0.2.1", knownDevice?: string) => ({ account, address, knownDevice });

/** Creates limits over passwords that are checked only when the test finishes them, in the order in which they start. */
function createHeldPasswords() {
  const started: string[] = [];
  const held: (() => void)[] = [];
  const hold = (password: string) => {
    started.push(password);
    return new Promise<string>((resolve) => held.push(() => resolve("")));
  };
  const limited = limitPasswords(
    { hash: hold, verify: async (password) => (await hold(password)) === "" },
    limitInMemory,
  );
  /** Finishes whatever is running until nothing is left. @returns the passwords in the order of their turns */
  const finishAll = async (): Promise<string[]> => {
    do {
      expect(held.length).toBeLessThanOrEqual(2);
      for (const finish of held.splice(0)) finish();
      // Let the next tasks be counted and start.
      await setImmediate();
    } while (held.length > 0);
    return started;
  };
  /** Starts an attempt and resolves with its outcome. */
  const check = (name: string, address?: string, knownDevice?: string): Promise<unknown> =>
    limited.verify(attempt(name, address, knownDevice), name, undefined).catch((error: { code: string }) => error.code);
  return { ...limited, check, started, finishAll };
}

const range = (count: number): number[] => [...Array(count).keys()];

test("checks two passwords in parallel, queues sixteen, and rejects the next with Retry-After [D-55]", async () => {
  const finishChecks: (() => void)[] = [];
  const check = limitVerify(() => new Promise((resolve) => finishChecks.push(() => resolve(true))));
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
  const check = limitVerify(async () => false);
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

test("a network that has filled the queue makes room for another, and they take turns [D-55]", async () => {
  const { check, finishAll } = createHeldPasswords();
  const crowd = range(18).map((index) => check(`a${index}`, "192.0.2.1"));
  const others = range(3).map((index) => check(`b${index}`, "192.0.2.2"));
  const order = await finishAll();
  expect(order.slice(0, 9)).toEqual(["a0", "a1", "a2", "b0", "a3", "b1", "a4", "b2", "a5"]);
  expect(await Promise.all(others)).toEqual([true, true, true]);
  const outcomes = await Promise.all(crowd);
  expect(outcomes.slice(0, 15)).toEqual(range(15).map(() => true));
  expect(outcomes.slice(15)).toEqual(range(3).map(() => "too_many_sign_ins"));
});

test("a network of IPv6 addresses is one in the queue too [D-55]", async () => {
  const { check, finishAll } = createHeldPasswords();
  const crowd = range(18).map((index) => check(`a${index}`, `2001:db8::${index}`));
  const other = check("b", "2001:db8:0:1::1");
  expect((await finishAll()).indexOf("b")).toBe(3);
  expect(await other).toBe(true);
  await Promise.all(crowd);
});

test("strangers from any number of networks cannot keep a known device out of the queue [D-153]", async () => {
  const { check, finishAll } = createHeldPasswords();
  const strangers = range(18).map((index) => check(`a${index}`, `192.0.2.${index}`));
  expect(await check("late", "198.51.100.1")).toBe("too_many_sign_ins");
  const known = check("ann", "192.0.2.1", "laptop");
  const moreStrangers = range(18).map((index) => check(`c${index}`, `203.0.113.${index}`));
  await finishAll();
  expect(await known).toBe(true);
  expect(await Promise.all(moreStrangers)).toEqual(range(18).map(() => "too_many_sign_ins"));
  expect((await Promise.all(strangers)).filter((outcome) => outcome !== true)).toEqual(["too_many_sign_ins"]);
});

test("a known device waits for few strangers, and cannot keep them waiting either [D-153]", async () => {
  const { check, finishAll } = createHeldPasswords();
  const strangers = range(10).map((index) => check(`a${index}`, `192.0.2.${index}`));
  const known = range(4).map((index) => check(`ann`, "198.51.100.1", `device ${index}`));
  expect((await finishAll()).slice(0, 10)).toEqual(["a0", "a1", "ann", "a2", "ann", "a3", "ann", "a4", "ann", "a5"]);
  await Promise.all([...strangers, ...known]);
});

test("one account cannot keep others out of the queue with its known devices [D-153]", async () => {
  const { check, finishAll } = createHeldPasswords();
  const crowd = range(18).map((index) => check("eve", "192.0.2.1", `device ${index}`));
  const other = check("ann", "192.0.2.2");
  await finishAll();
  expect(await other).toBe(true);
  expect((await Promise.all(crowd)).filter((outcome) => outcome === true)).toHaveLength(6);
});

test("strangers cannot lock a known device out, and its own failures lock only that device [D-153]", async () => {
  const check = createTestCheck();
  for (const place of range(10))
    for (const _ of range(10)) await check(attempt("ann", `192.0.2.${place}`), "wrong", undefined);
  await expect(check(attempt("ann", "198.51.100.1"), "right", undefined)).rejects.toEqual(tooManySignIns("300"));
  for (const _ of range(10)) expect(await check(attempt("ann", "192.0.2.1", "laptop"), "wrong", undefined)).toBe(false);
  await expect(check(attempt("ann", "192.0.2.1", "laptop"), "right", undefined)).rejects.toEqual(tooManySignIns("300"));
  expect(await check(attempt("ann", "192.0.2.1", "phone"), "right", undefined)).toBe(true);
});

test("accepts at most a hundred wrong passwords from one network, whichever accounts they are for [D-55]", async () => {
  const check = createTestCheck();
  for (const index of range(100)) expect(await check(attempt(`name ${index}`), "wrong", undefined)).toBe(false);
  await expect(check(attempt("bo"), "right", undefined)).rejects.toEqual(tooManySignIns("300"));
  expect(await check(attempt("bo", "192.0.2.2"), "right", undefined)).toBe(true);
});

test("hashes one password at a time for an invitation, and never runs more than two hashes and checks [D-55]", async () => {
  const { hash, check, started, finishAll } = createHeldPasswords();
  const address = "192.0.2.1";
  const first = hash({ id: "first", address }, "first");
  await expect(hash({ id: "first", address: "192.0.2.2" }, "again")).rejects.toEqual(tooManySignIns("1"));
  const others = [...range(3).map((index) => hash({ id: `other ${index}`, address }, `other ${index}`)), check("ann")];
  expect(started).toEqual(["first", "other 0"]);
  await finishAll();
  await Promise.all([first, ...others]);
  const afterwards = hash({ id: "first", address }, "afterwards");
  await finishAll();
  expect(await afterwards).toBe("");
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
