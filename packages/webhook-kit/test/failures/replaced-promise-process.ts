import { createRequire } from "node:module";
import type { ReceiverOptions } from "../../src/options/options.ts";

/** A process whose global `Promise` was replaced by a library before the kit is loaded. */
const library = process.argv[2] ?? "";
const native = Promise;
const exported = createRequire(import.meta.url)(library);
if (library === "bluebird") globalThis.Promise = exported;
if (globalThis.Promise === native) throw new Error(`${library} has not replaced Promise.`);

const { webhookListener } = await import("../../src/node.ts");
const { webhookHandler } = await import("../../src/fetch.ts");
const { webhookFunction } = await import("../../src/lambda.ts");
const { memoryDeduplication } = await import("../../src/index.ts");
const { signHeaders, testReceiver } = await import("../../src/testing.ts");

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const memory = memoryDeduplication();
const failsLater = async () => {
  await null;
  throw new Error("thrown by the user's code");
};
const ignore = () => undefined;

const situations: Record<string, Partial<ReceiverOptions>> = {
  "a handler resolves": { onWorkerAddedContact: async () => null },
  "a handler throws": { onWorkerAddedContact: failsLater },
  "a handler throws without deduplication": { onWorkerAddedContact: failsLater, deduplication: false },
  "a handler takes too long": { onWorkerAddedContact: () => new Promise(ignore), handlerTimeoutMs: 20 },
  "the secret resolves": { secret: async () => secret },
  "the secret throws": { secret: failsLater },
  "a store resolves": {
    deduplication: {
      acquire: async (...given) => memory.acquire(...given),
      complete: async (...given) => memory.complete(...given),
      release: async (...given) => memory.release(...given),
    },
  },
  "a store throws": { deduplication: { acquire: failsLater, complete: failsLater, release: failsLater } },
};

const statuses: Record<string, number[]> = {};
for (const [situation, own] of Object.entries(situations)) {
  const options = { secret, onWorkerAddedContact: ignore, onError: ignore, ...own };
  const ask = async (app: Parameters<typeof testReceiver>[0]) => {
    await using receiver = await testReceiver(app, { secret });
    return (await receiver.workerAddedContact({ workerId: "worker_amal" })).status;
  };
  const http = { method: "GET" };
  const headers = await signHeaders({ secret });
  const { statusCode } = await webhookFunction(options)({
    rawPath: "/contact/new/worker_amal",
    requestContext: { http },
    headers,
    isBase64Encoded: false,
  });
  statuses[situation] = [
    await ask(webhookListener(options)),
    await ask({ fetch: webhookHandler(options) }),
    statusCode,
  ];
}
console.log(JSON.stringify(statuses));
