import { Agent, request as nodeRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { SecretSource } from "../../src/signature/secrets.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { captureConsole } from "../support/capture-console.ts";
import { expresses, serve } from "../support/serve.ts";

captureConsole();

const [{ express }] = expresses as [(typeof expresses)[0]];
const [before, after] = ["the-secret-before-the-swap", "the-secret-after-the-swap"];

/** Sends requests continuously, a few at a time, until stopped but at least `least`. Returns how often each status occurred. */
function load(url: string, secretNow: () => string, least = 0): () => Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const counts: Record<number, number> = {};
  let isOver = false;
  let sent = 0;
  const send = () =>
    new Promise<void>((resolve, reject) => {
      // All requests differ, so that none counts as a duplicate.
      const headers = { ...timestampDigest().sign({ secret: secretNow(), now: new Date() }) };
      nodeRequest(`${url}/contact/new/worker_${sent++}`, { agent, headers }, (response) => {
        counts[response.statusCode ?? 0] = (counts[response.statusCode ?? 0] ?? 0) + 1;
        response.resume().once("end", resolve);
      })
        .once("error", reject)
        .end();
    });
  const lane = async () => {
    while (!isOver || sent < least) await send();
  };
  const lanes = Array.from({ length: 8 }, lane);
  return async () => {
    isOver = true;
    await Promise.all(lanes);
    return counts;
  };
}

async function receiverWith(secret: SecretSource) {
  let handled = 0;
  const app = express();
  app.use(webhookRouter({ secret, onWorkerAddedContact: () => void handled++ }));
  const { url } = await serve(app);
  /** Resolves once this many more have been handled. */
  const more = async (count: number) => {
    const until = handled + count;
    while (handled < until) await new Promise((resolve) => setImmediate(resolve));
  };
  return { url, more, handled: () => handled };
}

test("secrets are rotated under load without a single 401", async () => {
  let accepted: string[] = [before];
  let signer = before;
  const receiver = await receiverWith(async () => accepted);
  const stop = load(receiver.url, () => signer);
  await receiver.more(200);
  accepted = [after, before];
  await receiver.more(200);
  signer = after;
  await receiver.more(200);
  accepted = [after];
  await receiver.more(200);
  const counts = await stop();
  expect(Object.keys(counts)).toEqual(["200"]);
  expect(counts[200]).toBe(receiver.handled());
});

test("while secrets cannot be looked up, the response is 503, never 401 or 200", async () => {
  let isOut = false;
  const receiver = await receiverWith(async () => {
    await Promise.resolve();
    if (isOut) throw new Error("vault unreachable");
    return before;
  });
  const stop = load(receiver.url, () => before);
  await receiver.more(100);
  isOut = true;
  const handledBefore = receiver.handled();
  const during = await load(receiver.url, () => before, 200)();
  const whole = await stop();
  expect(Object.keys(during)).toEqual(["503"]);
  expect(Object.keys(whole)).toEqual(["200", "503"]);
  // At most the few requests that had already looked up their secret.
  expect(receiver.handled() - handledBefore).toBeLessThanOrEqual(8);
  isOut = false;
  const afterwards = load(receiver.url, () => before);
  await receiver.more(100);
  expect(Object.keys(await afterwards())).toEqual(["200"]);
});

test.each<[string, SecretSource]>([
  ["throws", () => Promise.reject(new Error("vault unreachable"))],
  [
    "throws synchronously",
    () => {
      throw new Error("vault unreachable");
    },
  ],
  ["returns an empty string", () => ""],
  ["returns an empty list", () => []],
  ["returns null", () => null as unknown as string],
  ["returns a number", () => 7 as unknown as string],
])("a correctly signed request gets 503 if the secret function %s", async (_, secret) => {
  const receiver = await receiverWith(secret);
  for (const signer of [before, after, "0".repeat(16)]) {
    const headers = timestampDigest().sign({ secret: signer, now: new Date() });
    expect((await fetch(`${receiver.url}/test/auth`, { headers: { ...headers } })).status).toBe(503);
  }
});
