import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { storesUnderTest } from "../../../examples/platform/test/support/stores/stores.ts";

const stores = await storesUnderTest();
const lastLine = new RegExp(
  /^acked (?<acked>\d+), delivered (?<delivered>\d+), lost (?<lost>\d+), duplicated (?<duplicated>\d+), /.source +
    /reordered (?<reordered>\d+), pending (?<pending>\d+), /.source +
    /at once at one endpoint (?<leased>\d+) leased, (?<served>\d+) served, /.source +
    /(?<takeovers>\d+) takeovers(, median \d+\.\d s, worst \d+\.\d s)?, drained in \d+\.\d s$/.source,
);

async function crashTest(args: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "run.ts"), ...args.split(" ")], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const lines = stdout.trimEnd().split("\n");
  const counts = Object.entries(lastLine.exec(lines.at(-1) ?? "")?.groups ?? {});
  return { code, stdout, stderr, lines, counts: Object.fromEntries(counts.map(([name, n]) => [name, Number(n)])) };
}

// The full test is `npm run crash-test`.
describe("a short crash test", { timeout: 300_000 }, () => {
  test.each(stores)(
    "of $title, killed twice and stopped once, loses, reorders and leaves nothing",
    async ({ title }) => {
      const where = title === "PGlite" ? "--store pglite" : "--store postgres --processes 2";
      const { code, stdout, stderr, lines, counts } = await crashTest(`${where} --kills 2 --stalls 1 --seconds 4`);
      expect(stdout + stderr).not.toContain("WRONG");
      expect(lines[0]).toContain(`on ${title}, 2 kills, 1 stalls`);
      expect(counts).toMatchObject({ acked: expect.any(Number), lost: 0, reordered: 0, pending: 0 });
      expect(counts.leased).toBeGreaterThan(0);
      expect(counts.leased).toBeLessThanOrEqual(8);
      expect(counts.acked).toBeGreaterThan(20);
      expect(counts.delivered).toBe(counts.acked);
      expect(code).toBe(0);
    },
  );

  test("of a platform whose requests are lost, swapped, repeated and renamed on the way finds all four", async () => {
    const store = stores.length > 1 ? "postgres" : "pglite";
    const inject = "--drain-seconds 2 --sabotage lose,reorder,repeat,rename";
    const { code, stdout, counts } = await crashTest(`--store ${store} --seconds 4 ${inject}`);
    expect(counts.lost).toBeGreaterThan(0);
    expect(counts.reordered).toBeGreaterThan(0);
    expect(counts.duplicated).toBeGreaterThan(0);
    expect(stdout).toMatch(/^WRONG: \d+ acked events were never delivered$/m);
    expect(stdout).toMatch(/^WRONG: \d+ events came before an earlier one, or again after a later one$/m);
    expect(stdout).toMatch(/^WRONG: \d+ delivery ids are more than one for an event, or for none$/m);
    expect(code).toBe(1);
  });

  // The others strand rows that two processes of PostgreSQL alone meet, or take a load that a busy machine may not bear.
  test("of a platform that loses wake-ups finds what is left, in what state", async () => {
    const { code, stdout, counts } = await crashTest("--drain-seconds 4 --seconds 8 --sabotage wakeup");
    expect(counts.lost).toBeGreaterThan(0);
    expect(counts.pending).toBeGreaterThan(0);
    expect(stdout).toMatch(/^WRONG: \d+ deliveries are left pending in the store$/m);
    expect(code).toBe(1);
  });

  test.runIf(stores.length > 1)("of a platform without a fence finds what was settled without a lease", async () => {
    const where = "--store postgres --processes 2 --stalls 2 --seconds 4";
    const { code, stdout } = await crashTest(`${where} --drain-seconds 4 --sabotage fence`);
    expect(stdout).toMatch(/^WRONG: \d+ attempts were stored by a process whose lease was gone$/m);
    expect(code).toBe(1);
  });

  test("of an unavailable store does not begin", async () => {
    const nowhere = { DATABASE_URL: "postgres://none@127.0.0.1:1/none" };
    const { code, stdout, stderr } = await crashTest("--store postgres", nowhere);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("no PostgreSQL responds at DATABASE_URL");
  });
});
