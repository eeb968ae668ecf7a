import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runOffers } from "../support/run-offers.ts";
import { type StartedReceiver, secrets, startReceiver } from "../support/start-receiver.ts";

let receiver: StartedReceiver;
beforeAll(async () => {
  receiver = await startReceiver("node", "timestampDigest");
});
afterAll(() => receiver.stop());

/** Probes a correct receiver with a counter that returns `count()`. */
async function probeWithCounter(count: () => number, flags: readonly string[]) {
  const server = createServer((_, response) => response.end(`${count()}`)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const counter = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["probe", receiver.url.href, "--counter", counter, ...flags];
  return runOffers(args, { WEBHOOK_SECRET: secrets.timestampDigest });
}

test("probe has no findings if handlers run only for accepted requests", async () => {
  const { code, stdout } = await probeWithCounter(() => 3, ["--only", "digests"]);
  expect(stdout).toMatch(/^No findings in \d+ cases/);
  expect(code).toBe(0);
});

test("probe reports a handler that ran although the request was rejected", async () => {
  let count = 0;
  const { code, stdout } = await probeWithCounter(() => count++, ["--only", "digests"]);
  expect(code).toBe(1);
  expect(stdout).toContain("(wrong_handling)");
  expect(stdout).toContain("expected 0 handled, got 1");
});

test("probe reports an accepted event that no handler received", async () => {
  const { code, stdout } = await probeWithCounter(() => 3, ["--only", "bodies", "--allow-events"]);
  expect(code).toBe(1);
  expect(stdout).toContain("expected 1 handled, got 0");
});
