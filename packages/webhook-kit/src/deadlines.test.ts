import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

test("everybody is called when their time is over, in the order in which they came", async () => {
  const deadlines = Deadlines.after(40);
  const called: string[] = [];
  const startedAt = performance.now();
  const first = new Promise<void>((resolve) => deadlines.add(() => resolve(void called.push("first"))));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = new Promise<number>((resolve) =>
    deadlines.add(() => {
      called.push("second");
      resolve(performance.now() - startedAt);
    }),
  );
  await first;
  expect(called).toEqual(["first"]);
  expect(await second).toBeGreaterThanOrEqual(55);
  expect(called).toEqual(["first", "second"]);
});

test("who left is not called, also when the rest goes on", async () => {
  const deadlines = Deadlines.after(30);
  const called: string[] = [];
  const leave = () => void called.push("left");
  deadlines.add(leave);
  const stayed = new Promise<void>((resolve) => deadlines.add(resolve));
  deadlines.delete(leave);
  await stayed;
  expect(called).toEqual([]);
});

test("who comes after all have left is called in time", async () => {
  const deadlines = Deadlines.after(50);
  const leave = () => undefined;
  deadlines.add(leave);
  deadlines.delete(leave);
  await new Promise((resolve) => setTimeout(resolve, 30));
  const startedAt = performance.now();
  await new Promise<void>((resolve) => deadlines.add(resolve));
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(48);
});

test("nobody is kept waiting by a process that has nothing else to do, and no process by nobody", () => {
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
