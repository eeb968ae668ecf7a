import { Agent, request as nodeRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { SecretSource } from "../../src/signature/secrets.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { captureConsole } from "../support/capture-console.ts";
import { express4, serve } from "../support/serve.ts";

captureConsole();

const oldSecret = "the-secret-before-the-swap";
const newSecret = "the-secret-after-the-swap";

/**
 * Sends requests, eight at a time, until the returned function is called and at least `minimumCount` have been sent. The returned function
 * waits for the last responses, and returns the number of responses by status.
 */
function startLoad(url: string, getSecret: () => string, minimumCount = 0): () => Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const counts: Record<number, number> = {};
  let isStopped = false;
  let sentCount = 0;
  const send = () =>
    new Promise<void>((resolve, reject) => {
      // Each request is about a different worker, so that none is a duplicate.
      const workerId = `worker_${sentCount}`;
      sentCount += 1;
      const headers = { ...timestampDigest().sign({ secret: getSecret(), now: new Date() }) };
      nodeRequest(`${url}/contact/new/${workerId}`, { agent, headers }, (response) => {
        counts[response.statusCode ?? 0] = (counts[response.statusCode ?? 0] ?? 0) + 1;
        response.resume().once("end", resolve);
      })
        .once("error", reject)
        .end();
    });
  const sendUntilStopped = async () => {
    while (!isStopped || sentCount < minimumCount) await send();
  };
  const senders = Array.from({ length: 8 }, sendUntilStopped);
  return async () => {
    isStopped = true;
    await Promise.all(senders);
    return counts;
  };
}

async function startReceiver(secret: SecretSource) {
  let handledCount = 0;
  const onWorkerAddedContact = () => {
    handledCount += 1;
  };
  const app = express4();
  app.use(webhookRouter({ secret, onWorkerAddedContact }));
  const { url } = await serve(app);
  /** Waits until `count` more requests have been handled. */
  const waitForHandled = async (count: number) => {
    const target = handledCount + count;
    while (handledCount < target) await new Promise((resolve) => setImmediate(resolve));
  };
  return { url, waitForHandled, getHandledCount: () => handledCount };
}

test("secrets are rotated under load without a single 401", async () => {
  let receiverSecrets: string[] = [oldSecret];
  let senderSecret = oldSecret;
  const receiver = await startReceiver(async () => receiverSecrets);
  const stop = startLoad(receiver.url, () => senderSecret);
  await receiver.waitForHandled(200);
  receiverSecrets = [newSecret, oldSecret];
  await receiver.waitForHandled(200);
  senderSecret = newSecret;
  await receiver.waitForHandled(200);
  receiverSecrets = [newSecret];
  await receiver.waitForHandled(200);
  const counts = await stop();
  expect(Object.keys(counts)).toEqual(["200"]);
  expect(counts[200]).toBe(receiver.getHandledCount());
});

test("while secrets cannot be looked up, the response is 503, never 401 or 200", async () => {
  let isVaultDown = false;
  const receiver = await startReceiver(async () => {
    await Promise.resolve();
    if (isVaultDown) throw new Error("vault unreachable");
    return oldSecret;
  });
  const stop = startLoad(receiver.url, () => oldSecret);
  await receiver.waitForHandled(100);
  isVaultDown = true;
  const handledBefore = receiver.getHandledCount();
  const countsWhileDown = await startLoad(receiver.url, () => oldSecret, 200)();
  const totalCounts = await stop();
  expect(Object.keys(countsWhileDown)).toEqual(["503"]);
  expect(Object.keys(totalCounts)).toEqual(["200", "503"]);
  // Up to eight requests may already have looked up their secret.
  expect(receiver.getHandledCount() - handledBefore).toBeLessThanOrEqual(8);
  isVaultDown = false;
  const stopLoad = startLoad(receiver.url, () => oldSecret);
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
  for (const senderSecret of [oldSecret, newSecret, "0".repeat(16)]) {
    const headers = timestampDigest().sign({ secret: senderSecret, now: new Date() });
    expect((await fetch(`${receiver.url}/test/auth`, { headers: { ...headers } })).status).toBe(503);
  }
});
