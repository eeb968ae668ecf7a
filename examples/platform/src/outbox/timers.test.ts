import { expect, test } from "vitest";
import { runLoop } from "./timers.ts";

const longMs = 60_000;

test("a loop continues immediately while a tick reports more work, then waits to be woken", async () => {
  let ticks = 0;
  let onTick = (): void => undefined;
  const untilTickCount = (count: number) =>
    new Promise<void>((resolve) => {
      onTick = () => {
        if (ticks === count) resolve();
      };
    });
  const thirdTick = untilTickCount(3);
  const loop = runLoop(
    async () => {
      ticks += 1;
      onTick();
      return ticks < 3 ? 0 : longMs;
    },
    () => undefined,
  );
  await thirdTick;
  const fourthTick = untilTickCount(4);
  loop.wake();
  await fourthTick;
  await loop.stop();
  expect(ticks).toBe(4);
});

test("a loop ticks again after a wake-up that arrives during a tick", async () => {
  let ticks = 0;
  const done = new Promise<void>((resolve) => {
    const loop = runLoop(
      async () => {
        ticks += 1;
        if (ticks === 1) await Promise.resolve().then(() => loop.wake());
        else resolve(loop.stop());
        return longMs;
      },
      () => undefined,
    );
  });
  await done;
  expect(ticks).toBe(2);
});

test("a loop ticks once more, no matter how many times it is woken during a tick", async () => {
  let ticks = 0;
  const endTicks: (() => void)[] = [];
  const tick = async (): Promise<number> => {
    ticks += 1;
    await new Promise<void>((resolve) => endTicks.push(resolve));
    return longMs;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const loop = runLoop(tick, () => expect.fail());
  for (let times = 0; times < 3; times += 1) loop.wake();
  endTicks.at(-1)?.();
  await settled();
  expect(ticks).toBe(2);
  endTicks.at(-1)?.();
  await settled();
  expect(ticks).toBe(2);
  await loop.stop();
});

test("a loop coalesces wake-ups within one turn of the event loop", async () => {
  let ticks = 0;
  const loop = runLoop(
    async () => {
      ticks += 1;
      return longMs;
    },
    () => expect.fail(),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  for (let times = 0; times < 5; times += 1) {
    loop.wake();
    await Promise.resolve();
  }
  await turn();
  await turn();
  expect(ticks).toBe(2);
  await loop.stop();
});

test("a loop reports an error that a tick throws, and continues", async () => {
  const errors: unknown[] = [];
  let ticks = 0;
  let resume = (): void => undefined;
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const tick = async (): Promise<number> => {
    ticks += 1;
    if (ticks === 1) throw new Error("no database");
    resume();
    return longMs;
  };
  const loop = runLoop(tick, (error) => errors.push(error));
  await resumed;
  await loop.stop();
  expect(errors).toMatchObject([{ message: "no database" }]);
});

test("a stopped loop waits for the running tick, and does not start another tick", async () => {
  let finish = (): void => undefined;
  let finished = false;
  const running = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let ticks = 0;
  const tick = async (): Promise<number> => {
    ticks += 1;
    await running;
    finished = true;
    return 0;
  };
  const loop = runLoop(tick, () => undefined);
  const stopped = loop.stop();
  finish();
  await stopped;
  expect({ finished, ticks }).toEqual({ finished: true, ticks: 1 });
});
