// Imports every subpath. Some of their optional peers have their own types.
import { OffersClient } from "@offers/client";
import { createOpenApiClient } from "@offers/client/openapi-fetch";
import { TracedOffersClient } from "@offers/client/opentelemetry";
import { offerSchema, validateResponses } from "@offers/client/schemas";
import { createTestService } from "@offers/client/testing";
import { webhookRouter } from "@offers/webhook-kit/express";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { webhookFunction } from "@offers/webhook-kit/lambda";
import { webhookListener } from "@offers/webhook-kit/node";
import { redisDeduplication } from "@offers/webhook-kit/redis";
import { signHeaders, testReceiver } from "@offers/webhook-kit/testing";

const options = { baseUrl: "https://service.example", apiKey: "key" };
const receiver = { secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52" };

const service = createTestService();
new OffersClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
service.deliverTo("https://integrator.test", { ...receiver, sign: signHeaders }) satisfies Promise<void>;
service.deliveries.at(-1)?.attempts.at(-1)?.status satisfies number | undefined;
// An agent has a structural type, so that this compiles without the Node types.
new OffersClient({ ...options, agent: { freeSockets: {}, sockets: {}, requests: {} } });
new OffersClient({ ...options, middleware: [validateResponses()] });
new TracedOffersClient(options) satisfies OffersClient;
const { data } = await createOpenApiClient(options).GET("/offer/{id}", { params: { path: { id: "a" } } });
export const texts: (string | undefined)[] = [data?.title, offerSchema.parse({}).id];

webhookRouter({ ...receiver, onRejected: ({ code }) => void (code satisfies string) });
webhookHandler(receiver) satisfies (request: Request) => Promise<Response>;
webhookFunction(receiver);
webhookListener(receiver);
export const functions: ((...options: never[]) => unknown)[] = [redisDeduplication, signHeaders, testReceiver];
