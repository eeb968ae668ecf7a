import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadlines } from "./deadlines.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("everybody is called when their time is over, in the order in which they came", () => {
  const deadlines = Deadlines.after(40);
  const called: string[] = [];
  deadlines.add(() => void called.push("first"));
  vi.advanceTimersByTime(20);
  deadlines.add(() => void called.push("second"));
  vi.advanceTimersByTime(19);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(called).toEqual(["first"]);
  vi.advanceTimersByTime(18);
  expect(called).toEqual(["first"]);
  vi.advanceTimersByTime(2);
  expect(called).toEqual(["first", "second"]);
});

test("who left is not called, also when the rest goes on", () => {
  const deadlines = Deadlines.after(30);
  const called: string[] = [];
  const leave = () => void called.push("left");
  deadlines.add(leave);
  deadlines.add(() => void called.push("stayed"));
  deadlines.delete(leave);
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(["stayed"]);
});

test("who comes after all have left is called in time", () => {
  const deadlines = Deadlines.after(50);
  const called: string[] = [];
  const leave = () => undefined;
  deadlines.add(leave);
  deadlines.delete(leave);
  vi.advanceTimersByTime(30);
  deadlines.add(() => void called.push("late"));
  vi.advanceTimersByTime(48);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(called).toEqual(["late"]);
});

test("a pending timeout keeps the process alive, and no other does", () => {
  const run = (program: string) =>
    spawnSync(process.execPath, ["--input-type=module", "--no-warnings", "-e", program], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      timeout: 20_000,
    });
  const load = 'import { Deadlines } from "./deadlines.ts";';
  expect(run(`${load} Deadlines.after(50).add(() => console.log("called"));`).stdout).toBe("called\n");
  const left = run(
    `${load} const leave = () => {}; Deadlines.after(60_000).add(leave); Deadlines.after(60_000).delete(leave);`,
  );
  expect([left.status, left.signal]).toEqual([0, null]);
});
