import { expect, test } from "vitest";
import { passwordCheck } from "./check-password.ts";

const refusal = (retryAfter: string) =>
  expect.objectContaining({ code: "too_many_sign_ins", status: 429, headers: { "Retry-After": retryAfter } });

test("two are checked at once, sixteen wait, and the next is told to come back", async () => {
  const finish: (() => void)[] = [];
  const check = passwordCheck(
    () => new Date(0),
    () => new Promise((resolve) => finish.push(() => resolve(true))),
  );
  const checked = Array.from({ length: 18 }, (_, index) => check(`worker ${index}`, "", undefined));
  await expect(check("worker 18", "", undefined)).rejects.toEqual(refusal("1"));
  for (let done = 0; done < 18; done += 2) {
    expect(finish).toHaveLength(2);
    for (const end of finish.splice(0)) end();
    await expect.poll(() => finish.length).toBe(done === 16 ? 0 : 2);
  }
  expect(await Promise.all(checked)).toEqual(Array.from({ length: 18 }, () => true));
});

test("after ten wrong passwords an account waits for five minutes, others do not", async () => {
  let ms = 0;
  const check = passwordCheck(
    () => new Date(ms),
    async (password) => password === "right",
  );
  for (let count = 0; count < 10; count += 1) expect(await check("ann", "wrong", undefined)).toBe(false);
  expect(await check("bo", "right", undefined)).toBe(true);
  ms = 299_999;
  await expect(check("ann", "right", undefined)).rejects.toEqual(refusal("1"));
  ms = 300_000;
  expect(await check("ann", "right", undefined)).toBe(true);
});

test("the right password makes up for the wrong ones before it", async () => {
  const check = passwordCheck(
    () => new Date(0),
    async (password) => password === "right",
  );
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 9; count += 1) expect(await check("ann", "wrong", undefined)).toBe(false);
    expect(await check("ann", "right", undefined)).toBe(true);
  }
});

test("many tries at the same time are no way around it", async () => {
  const check = passwordCheck(
    () => new Date(0),
    async () => false,
  );
  const tries = await Promise.allSettled(Array.from({ length: 12 }, () => check("ann", "wrong", undefined)));
  expect(tries.filter(({ status }) => status === "rejected")).toHaveLength(2);
});
