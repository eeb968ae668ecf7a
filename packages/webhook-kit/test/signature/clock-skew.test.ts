import { expect, onTestFinished, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { express4, secret, serve } from "../support/serve.ts";

const now = new Date("2026-11-20T09:30:00.000Z");

/** Sends a request with a clock skew of `skewSeconds`, and returns the logged warnings. */
async function collectWarnings(skewSeconds: number, toleranceSeconds?: number) {
  const warn = vi.fn();
  const logger = { info: () => undefined, warn, error: () => undefined };
  const app = express4();
  const options = { secret, logger, now: () => now, onEvent: () => undefined };
  app.use(webhookRouter({ ...options, ...(toleranceSeconds !== undefined && { toleranceSeconds }) }));
  const { url } = await serve(app);
  const headers = timestampDigest().sign({ secret, now: new Date(now.getTime() + skewSeconds * 1000) });
  expect((await fetch(`${url}/test/auth`, { headers: { ...headers } })).status).toBe(200);
  return warn.mock.calls;
}

test.each([151, -151, 300])(
  "a request with a clock skew of %d s is accepted, but logs a warning [D-59]",
  async (skewSeconds) => {
    expect(await collectWarnings(skewSeconds)).toEqual([
      [{ skewSeconds, toleranceSeconds: 300 }, "clock skew above half the tolerance"],
    ]);
  },
);

test.each([0, 150, -150])("a request with a clock skew of %d s does not log a warning [D-59]", async (skewSeconds) => {
  expect(await collectWarnings(skewSeconds)).toEqual([]);
});

test("a skew above half of the configured tolerance logs a warning", async () => {
  expect(await collectWarnings(31, 60)).toHaveLength(1);
  expect(await collectWarnings(30, 60)).toHaveLength(0);
  expect(await collectWarnings(0, 0)).toHaveLength(0);
});

test.each([
  [200, "ahead of"],
  [-200, "behind"],
])("without a logger, a clock skew of %d s is printed once a minute [D-59]", async (skewSeconds, direction) => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  onTestFinished(() => warn.mockRestore());
  const receive = webhookHandler({ secret, now: () => now, onEvent: () => undefined });
  const headers = timestampDigest().sign({ secret, now: new Date(now.getTime() + skewSeconds * 1000) });
  for (let count = 0; count < 3; count += 1)
    expect((await receive(new Request("http://127.0.0.1/test/auth", { headers }))).status).toBe(200);
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        new RegExp(`timestamp is 200 s ${direction} this server's clock; more than 300 s are rejected.*clock_skew`),
      ),
    ],
  ]);
});
