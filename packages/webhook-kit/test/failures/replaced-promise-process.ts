import { createRequire } from "node:module";
import type { ReceiverOptions } from "../../src/options/options.ts";

// Runs receivers in a process in which a library replaced the global `Promise` before the kit was loaded.
const library = process.argv[2] ?? "";
const nativePromise = Promise;
const libraryExports = createRequire(import.meta.url)(library);
if (library === "bluebird") globalThis.Promise = libraryExports;
if (globalThis.Promise === nativePromise) throw new Error(`${library} did not replace Promise.`);

const { webhookListener } = await import("../../src/node.ts");
const { webhookHandler } = await import("../../src/fetch.ts");
const { webhookFunction } = await import("../../src/lambda.ts");
const { memoryDeduplication } = await import("../../src/index.ts");
const { signHeaders, testReceiver } = await import("../../src/testing.ts");

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const memory = memoryDeduplication();
const rejectLater = async () => {
  await null;
  throw new Error("thrown by the user's code");
};
const ignore = () => undefined;

const situations: Record<string, Partial<ReceiverOptions>> = {
  "a handler resolves": { onWorkerAddedContact: async () => null },
  "a handler throws": { onWorkerAddedContact: rejectLater },
  "a handler throws without deduplication": { onWorkerAddedContact: rejectLater, deduplication: false },
  "a handler takes too long": { onWorkerAddedContact: () => new Promise(ignore), handlerTimeoutMs: 20 },
  "the secret resolves": { secret: async () => secret },
  "the secret throws": { secret: rejectLater },
  "a store resolves": {
    deduplication: {
      acquire: async (...args) => memory.acquire(...args),
      complete: async (...args) => memory.complete(...args),
      release: async (...args) => memory.release(...args),
    },
  },
  "a store throws": { deduplication: { acquire: rejectLater, complete: rejectLater, release: rejectLater } },
};

const statuses: Record<string, number[]> = {};
for (const [situation, overrides] of Object.entries(situations)) {
  const options = { secret, onWorkerAddedContact: ignore, onEvent: ignore, onError: ignore, ...overrides };
  const getStatus = async (app: Parameters<typeof testReceiver>[0]) => {
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
    await getStatus(webhookListener(options)),
    await getStatus({ fetch: webhookHandler(options) }),
    statusCode,
  ];
}
console.log(JSON.stringify(statuses));
