const body = `
export const offers = new OffersClient({
  baseUrl: "https://service.example",
  apiKey: async ({ refresh }) => (refresh ? "fresh" : "stale"),
  timeoutMs: 5_000,
  middleware: [(request, next) => next({ ...request, headers: { ...request.headers, "x-team": "staffing" } })],
  logger: { debug: () => {}, warn: (fields, message) => void [fields, message] },
  onRetry: ({ error, delayMs }) => void [error.code, delayMs],
});

export async function day(id: string): Promise<string> {
  const input: OfferInput = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };
  const created = await offers.createOffer({ ...input, events: [{ start: new Date(), end: "2099-05-01T22:00:00Z" }] });
  const { data, response } = await offers.getOffer(created.id, { maxRetries: 0 }).withResponse();
  const applied: Recipient[] = data.recipients.filter(({ response }) => response === "applied");
  await offers.completeOffer(id, applied.map(({ workerId }) => workerId));
  for await (const { name } of offers.watchOffer(id, { pollIntervalMs: 1_000 })) if (name) break;
  const result = await offers.withApiKey("another").withdrawOffer(id).safe();
  if (result.ok) return response.headers.get("etag") ?? "";
  if (result.error.status === 409) return result.error.name satisfies "ConflictError";
  return result.error instanceof RateLimitError ? String(result.error.retryAfterMs) : result.error.code;
}

export const explain = (error: unknown): string => (isOffersError(error) ? error.message : "unknown");
`;

const names = "isOffersError, OffersClient, RateLimitError";

/** A program of the client's user, as each way to resolve modules wants it to be written. */
export const consumers = {
  "nodenext, ES module": {
    file: "consumer.mts",
    code: `import { ${names}, type OfferInput, type Recipient } from "@offers/client";\n${body}`,
    options: { module: "nodenext" },
  },
  "nodenext, CommonJS": {
    file: "consumer.cts",
    // With verbatimModuleSyntax, this is how CommonJS is written.
    code: `import client = require("@offers/client");
type OfferInput = client.OfferInput;
type Recipient = client.Recipient;
const { ${names} } = client;
${body.replaceAll("export ", "")}
export = { offers, day, explain };
`,
    options: { module: "nodenext" },
  },
  bundler: {
    file: "consumer.ts",
    code: `import { ${names}, type OfferInput, type Recipient } from "@offers/client";\n${body}`,
    options: { module: "esnext", moduleResolution: "bundler" },
  },
} as const;

const options = `{ baseUrl: "https://service.example", apiKey: "key" }`;
const receiver = `{ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52" }`;

/** Programs that use the subpaths, whose optional peers bring types of their own. */
export const subpaths = {
  testing: `import { createTestService } from "@offers/client/testing";
const service = createTestService();
new OffersClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
service.deliverTo("https://integrator.test", { secret: "s", sign: ({ now }) => ({ timestamp: now.toISOString() }) });
service.deliveries.at(-1)?.attempts.at(-1)?.status satisfies number | undefined;`,
  node: `import { undiciFetch } from "@offers/client/node";
new OffersClient({ ...${options}, fetch: undiciFetch({ connections: 10 }) });`,
  schemas: `import { offerSchema, validateResponses } from "@offers/client/schemas";
new OffersClient({ ...${options}, middleware: [validateResponses()] });
offerSchema.parse({}).id satisfies string;`,
  opentelemetry: `import { TracedOffersClient } from "@offers/client/opentelemetry";
new TracedOffersClient(${options}) satisfies OffersClient;`,
  "openapi-fetch": `import { createOpenApiClient } from "@offers/client/openapi-fetch";
const { data } = await createOpenApiClient(${options}).GET("/offer/{id}", { params: { path: { id: "a" } } });
data?.title satisfies string | undefined;`,
  "webhook-kit/express": `import { webhookRouter } from "@offers/webhook-kit/express";
webhookRouter({ ...${receiver}, onRejected: ({ reason }) => reason satisfies string });`,
  "webhook-kit/fetch": `import { webhookHandler } from "@offers/webhook-kit/fetch";
webhookHandler(${receiver}) satisfies (request: Request) => Promise<Response>;`,
  "webhook-kit/lambda": `import { webhookFunction } from "@offers/webhook-kit/lambda";
webhookFunction(${receiver}) satisfies (event: { body: string; isBase64Encoded: boolean; path: string; httpMethod: string }) => unknown;`,
  "webhook-kit/node": `import { webhookListener } from "@offers/webhook-kit/node";
webhookListener(${receiver});`,
  "webhook-kit/redis": `import { redisDeduplication } from "@offers/webhook-kit/redis";
redisDeduplication satisfies (...options: never[]) => unknown;`,
  "webhook-kit/testing": `import { signHeaders, testReceiver } from "@offers/webhook-kit/testing";
[signHeaders, testReceiver] satisfies ((...options: never[]) => unknown)[];`,
};

/** Their peers, in the versions of the workspace. */
export const peers = ["msw", "undici", "zod", "@opentelemetry/api", "openapi-fetch", "@types/express"];

/** What the user's program may count on being declared. */
export const globals = {
  DOM: { lib: ["es2023", "dom"], types: [] },
  "DOM and Node": { lib: ["es2023", "dom"], types: ["node"] },
  Node: { lib: ["es2023"], types: ["node"] },
  neither: { lib: ["es2023"], types: [] },
} as const;

/** Four calls and what they are made on: what issue trackers measure type instantiations by. */
export const fourCalls = `
import { OffersClient } from "@offers/client";
const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key" });
const { id } = await offers.createOffer({ createdByUserId: "u", title: "t", workerIds: ["w"] });
const offer = await offers.getOffer(id);
await offers.completeOffer(offer.id, ["w"]);
await offers.withdrawOffer(offer.id);
export {};
`;
