import { expect, test, vi } from "vitest";
import { whenWoken } from "./when-woken.ts";

/** Work that a test ends. */
function openWork() {
  const ends: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>(
      (resolve, reject) => void ends.push((error) => (error === undefined ? resolve() : reject(error))),
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (error?: Error): Promise<void> => {
    ends.at(-1)?.(error);
    await settled();
  };
  return { work, end, count: () => ends.length };
}

test("works once after a wake-up, and never without", async () => {
  const { work, end, count } = openWork();
  const { wake, stop } = whenWoken(work, () => expect.fail());
  expect(count()).toBe(0);
  wake();
  await end();
  expect(count()).toBe(1);
  wake();
  await end();
  expect(count()).toBe(2);
  await stop();
});

test("works once more, however often it was woken during the work", async () => {
  const { work, end, count } = openWork();
  const { wake, stop } = whenWoken(work, () => expect.fail());
  wake();
  wake();
  wake();
  expect(count()).toBe(1);
  await end();
  expect(count()).toBe(2);
  await end();
  expect(count()).toBe(2);
  await stop();
});

test("tries again what threw, without a further wake-up", async () => {
  const errors: unknown[] = [];
  let calls = 0;
  const failOnce = async (): Promise<void> => {
    calls += 1;
    if (calls === 1) throw new Error("away");
  };
  const { wake, stop } = whenWoken(failOnce, (error) => errors.push(error));
  wake();
  await vi.waitUntil(() => calls === 2, { timeout: 60_000 });
  await stop();
  expect(errors).toMatchObject([{ message: "away" }]);
});

test("stopping waits for the work under way, and nothing begins after it", async () => {
  const { work, end, count } = openWork();
  const { wake, stop } = whenWoken(work, () => expect.fail());
  wake();
  wake();
  let hasStopped = false;
  const stopped = stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  await end();
  await stopped;
  wake();
  expect(count()).toBe(1);
});
