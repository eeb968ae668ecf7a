import { expect, test } from "vitest";
import { type Lane, PriorityMutex } from "./priority-mutex.ts";

/** Requests turns while a background turn is running. @returns the lanes in the order in which they got their turns */
async function turnOrder(requested: readonly Lane[]): Promise<string> {
  const mutex = new PriorityMutex();
  const order: string[] = [];
  const turn = (lane: Lane) => mutex.runExclusive(lane, async () => void order.push(lane === "foreground" ? "F" : "b"));
  await Promise.all([mutex.runExclusive("background", async () => undefined), ...requested.map(turn)]);
  return order.join("");
}

const lanes = (letters: string): Lane[] => [...letters].map((letter) => (letter === "F" ? "foreground" : "background"));

test.each([
  ["bbF", "Fbb"],
  ["bFbF", "FFbb"],
  ["FFFFFFFF", "FFFFFFFF"],
  ["bbbFFFFFFFFFF", "FFFFbFFFFbFFb"],
  ["", ""],
])("serves the requests %s in the order %s", async (requested, expected) =>
  expect(await turnOrder(lanes(requested))).toBe(expected),
);

test("serves one request at a time, even after a failure", async () => {
  const mutex = new PriorityMutex();
  let running = 0;
  let maxRunning = 0;
  const work = async (): Promise<void> => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await Promise.resolve();
    running -= 1;
  };
  const failed = mutex.runExclusive("background", () => Promise.reject(new Error("broken")));
  await Promise.all([
    expect(failed).rejects.toThrow("broken"),
    mutex.runExclusive("foreground", work),
    mutex.runExclusive("background", work),
  ]);
  await Promise.all([mutex.runExclusive("background", work), mutex.runExclusive("foreground", work)]);
  expect(maxRunning).toBe(1);
});

test("serves a request that arrives during a handover after the request that is next in line", async () => {
  const mutex = new PriorityMutex();
  const order: string[] = [];
  const first = mutex.runExclusive("foreground", async () => void order.push("first"));
  const second = mutex.runExclusive("foreground", async () => void order.push("second"));
  await first.then(() => mutex.runExclusive("foreground", async () => void order.push("third")));
  await second;
  expect(order).toEqual(["first", "second", "third"]);
});
