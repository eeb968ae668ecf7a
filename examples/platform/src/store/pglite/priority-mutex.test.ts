import { expect, test } from "vitest";
import { type Lane, PriorityMutex } from "./priority-mutex.ts";

/** Requests turns while one is running. @returns the lanes in the order in which they got their turns */
async function orderOf(asked: readonly Lane[]): Promise<string> {
  const turns = new PriorityMutex();
  const order: string[] = [];
  const turn = (lane: Lane) => turns.take(lane, async () => void order.push(lane === "foreground" ? "F" : "b"));
  await Promise.all([turns.take("background", async () => undefined), ...asked.map(turn)]);
  return order.join("");
}

const lanes = (letters: string): Lane[] => [...letters].map((letter) => (letter === "F" ? "foreground" : "background"));

test.each([
  ["bbF", "Fbb"],
  ["bFbF", "FFbb"],
  ["FFFFFFFF", "FFFFFFFF"],
  ["bbbFFFFFFFFFF", "FFFFbFFFFbFFb"],
  ["", ""],
])("serves %s as %s", async (asked, served) => expect(await orderOf(lanes(asked))).toBe(served));

test("serves one at a time, even after a failure", async () => {
  const turns = new PriorityMutex();
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  const failed = turns.take("background", () => Promise.reject(new Error("broken")));
  await Promise.all([
    expect(failed).rejects.toThrow("broken"),
    turns.take("foreground", work),
    turns.take("background", work),
  ]);
  await Promise.all([turns.take("background", work), turns.take("foreground", work)]);
  expect(most).toBe(1);
});

test("serves a request made during a handover after the one that receives the turn", async () => {
  const turns = new PriorityMutex();
  const order: string[] = [];
  const first = turns.take("foreground", async () => void order.push("first"));
  const second = turns.take("foreground", async () => void order.push("second"));
  await first.then(() => turns.take("foreground", async () => void order.push("third")));
  await second;
  expect(order).toEqual(["first", "second", "third"]);
});
