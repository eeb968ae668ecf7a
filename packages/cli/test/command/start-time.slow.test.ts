import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const builtProgram = fileURLToPath(new URL("../../dist/offers.js", import.meta.url));

test.each([["--version"], ["probe", "--help"], ["listen", "--help"]])("offers %s %s exits within 150 ms", (...args) => {
  const times = Array.from({ length: 15 }, () => {
    const startedAt = performance.now();
    expect(spawnSync(process.execPath, [builtProgram, ...args]).status).toBe(0);
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  // Check the median, because other work on the machine slows down some runs.
  expect(times[7], times.map(Math.round).join(" ")).toBeLessThan(150);
});
