import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
const start = performance.now();
afterAll(() => {
  const c = process.cpuUsage(), r = process.resourceUsage();
  appendFileSync("/tmp/cpu-main.txt", `${((c.user + c.system) / 1e6).toFixed(2)} ${((performance.now() - start)/1e3).toFixed(1)} ${(r.maxRSS/1024).toFixed(0)}MB ${expect.getState().testPath}\n`);
});
