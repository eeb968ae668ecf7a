import { Agent, request as nodeRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { SecretSource } from "../../src/signature/secrets.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { captureConsole } from "../support/capture-console.ts";
import { express4, serve } from "../support/serve.ts";

captureConsole();

const [before, after] = ["the-secret-before-the-swap", "the-secret-after-the-swap"];

/** Sends at least `minimum` requests, eight at a time, until the returned function stops it and counts each status. */
function startLoad(url: string, secretNow: () => string, minimum = 0): () => Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const counts: Record<number, number> = {};
  let isOver = false;
  let sent = 0;
  const send = () =>
    new Promise<void>((resolve, reject) => {
      // Sends each request about another worker, so that none counts as a duplicate.
      const headers = { ...timestampDigest().sign({ secret: secretNow(), now: new Date() }) };
      nodeRequest(`${url}/contact/new/worker_${sent++}`, { agent, headers }, (response) => {
        counts[response.statusCode ?? 0] = (counts[response.statusCode ?? 0] ?? 0) + 1;
        response.resume().once("end", resolve);
      })
        .once("error", reject)
        .end();
    });
  const sendUntilStopped = async () => {
    while (!isOver || sent < minimum) await send();
  };
  const senders = Array.from({ length: 8 }, sendUntilStopped);
  return async () => {
    isOver = true;
    await Promise.all(senders);
    return counts;
  };
}

async function startReceiver(secret: SecretSource) {
  let handled = 0;
  const app = express4();
  app.use(webhookRouter({ secret, onWorkerAddedContact: () => void handled++ }));
  const { url } = await serve(app);
  /** Waits until `count` more requests have been handled. */
  const waitForHandled = async (count: number) => {
    const target = handled + count;
    while (handled < target) await new Promise((resolve) => setImmediate(resolve));
  };
  return { url, waitForHandled, countHandled: () => handled };
}

test("secrets are rotated under load without a single 401", async () => {
  let accepted: string[] = [before];
  let signer = before;
  const receiver = await startReceiver(async () => accepted);
  const stop = startLoad(receiver.url, () => signer);
  await receiver.waitForHandled(200);
  accepted = [after, before];
  await receiver.waitForHandled(200);
  signer = after;
  await receiver.waitForHandled(200);
  accepted = [after];
  await receiver.waitForHandled(200);
  const counts = await stop();
  expect(Object.keys(counts)).toEqual(["200"]);
  expect(counts[200]).toBe(receiver.countHandled());
});

test("while secrets cannot be looked up, the response is 503, never 401 or 200", async () => {
  let isVaultDown = false;
  const receiver = await startReceiver(async () => {
    await Promise.resolve();
    if (isVaultDown) throw new Error("vault unreachable");
    return before;
  });
  const stop = startLoad(receiver.url, () => before);
  await receiver.waitForHandled(100);
  isVaultDown = true;
  const handledBefore = receiver.countHandled();
  const during = await startLoad(receiver.url, () => before, 200)();
  const total = await stop();
  expect(Object.keys(during)).toEqual(["503"]);
  expect(Object.keys(total)).toEqual(["200", "503"]);
  // Up to eight requests may already have looked up their secret.
  expect(receiver.countHandled() - handledBefore).toBeLessThanOrEqual(8);
  isVaultDown = false;
  const stopLoad = startLoad(receiver.url, () => before);
  await receiver.waitForHandled(100);
  expect(Object.keys(await stopLoad())).toEqual(["200"]);
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
  const receiver = await startReceiver(secret);
  for (const signer of [before, after, "0".repeat(16)]) {
    const headers = timestampDigest().sign({ secret: signer, now: new Date() });
    expect((await fetch(`${receiver.url}/test/auth`, { headers: { ...headers } })).status).toBe(503);
  }
});
