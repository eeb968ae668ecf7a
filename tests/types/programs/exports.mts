// A program that exports the result of each function. With `declaration: true`, the compiler must be able to name all types in the results.
// Each section is compiled alone, without other imports from the packages.

// @offers/client
import { OffersClient } from "@offers/client";

export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key" });
export const agency = offers.withApiKey("key");
export const creation = offers.createOffer({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
export const reading = offers.getOffer("a");
export const completion = offers.completeOffer("a", []);
export const withdrawal = offers.withdrawOffer("a");
export const response = reading.withResponse();
export const result = reading.safe();
export const changes = offers.watchOffer("a");
export const { events, recipients } = await reading;

// @offers/client/openapi-fetch
import { createOpenApiClient } from "@offers/client/openapi-fetch";

export const api = createOpenApiClient({ baseUrl: "https://service.example", apiKey: "key" });
export const { data, error } = await api.GET("/offer/{id}", { params: { path: { id: "a" } } });

// @offers/client/opentelemetry
import { TracedOffersClient } from "@offers/client/opentelemetry";

export const traced = new TracedOffersClient({ baseUrl: "https://service.example", apiKey: "key" });
export const tracedAgency = traced.withApiKey("key");
export const tracedReading = traced.getOffer("a");
export const tracedResponse = tracedReading.withResponse();
export const tracedResult = tracedReading.safe();
export const tracedChanges = traced.watchOffer("a");

// @offers/client/schemas
import { offerSchema, validateResponses } from "@offers/client/schemas";

export const schema = offerSchema;
export const offer = offerSchema.parse({});
export const validating = validateResponses();

// @offers/client/testing
import { createTestService } from "@offers/client/testing";

export const service = createTestService();
export const { fetch: inMemory, requests, notifications, deliveries } = service;
export const { attempts } = deliveries[0] as (typeof deliveries)[number];
export const suggested = service.suggestContacts({ userEmailAddresses: [] });
export const resent = service.resend("a");

// @offers/webhook-kit
import {
  isWebhookKitError,
  memoryDeduplication,
  parseWebhookEvent,
  standardWebhooks,
  timestampDigest,
  verifyRequest,
} from "@offers/webhook-kit";

export const deduplication = memoryDeduplication();
export const schemes = [standardWebhooks(), timestampDigest()];
export const parsed = parseWebhookEvent({});
export const { trace } = parsed;
export const verification = verifyRequest({ secret: "" }, { rawHeaders: [], body: new Uint8Array() });
export const toKitError = (thrown: unknown) => (isWebhookKitError(thrown) ? thrown : undefined);

// @offers/webhook-kit/catch-up
import { catchUp, type ReconcileOptions, reconcile, reconcileOnWebhook } from "@offers/webhook-kit/catch-up";

declare const reconcileOptions: ReconcileOptions;
export const caughtUp = catchUp({ baseUrl: "https://service.example", apiKey: "key" });
export const reconciled = reconcile(reconcileOptions);
export const onWorkerOfferResponse = reconcileOnWebhook(reconcileOptions);

// @offers/webhook-kit/express
import { verifyWebhook, webhookRouter } from "@offers/webhook-kit/express";

export const router = webhookRouter({ secret: "" });
export const verifier = verifyWebhook({ secret: "" });

// @offers/webhook-kit/fetch
import { parseWebhook, webhookHandler } from "@offers/webhook-kit/fetch";

export const handler = webhookHandler({ secret: "" });
export const { event } = await parseWebhook({ secret: "" }, new Request("https://integrator.example"));

// @offers/webhook-kit/lambda
import { webhookFunction } from "@offers/webhook-kit/lambda";

export const lambda = webhookFunction({ secret: "" });

// @offers/webhook-kit/mysql
import * as mysql from "@offers/webhook-kit/mysql";

declare const mysqlDatabase: mysql.InboxDatabase<object>;
export const mysqlInbox = mysql.mysqlInbox(mysqlDatabase);
export const mysqlMigration = mysql.inboxMigration();

// @offers/webhook-kit/node
import { webhookListener } from "@offers/webhook-kit/node";

export const listener = webhookListener({ secret: "" });

// @offers/webhook-kit/opentelemetry
import { traceEvent, webhookTracer } from "@offers/webhook-kit/opentelemetry";

export const tracer = webhookTracer();
export const handled = traceEvent({ type: "WorkerAddedContact" }, () => 7);

// @offers/webhook-kit/postgres
import * as postgres from "@offers/webhook-kit/postgres";

declare const postgresDatabase: postgres.InboxDatabase<object>;
export const postgresInbox = postgres.postgresInbox(postgresDatabase);
export const postgresMigration = postgres.inboxMigration();

// @offers/webhook-kit/redis
import { redisDeduplication } from "@offers/webhook-kit/redis";

export const shared = redisDeduplication({ call: () => Promise.resolve() });

// @offers/webhook-kit/sqlite
import * as sqlite from "@offers/webhook-kit/sqlite";

declare const sqliteDatabase: sqlite.InboxDatabase<object>;
export const sqliteInbox = sqlite.sqliteInbox(sqliteDatabase);
export const sqliteMigration = sqlite.inboxMigration();

// @offers/webhook-kit/testing
import { deduplicationConformance, signHeaders, testReceiver } from "@offers/webhook-kit/testing";

export const cases = deduplicationConformance(() => Promise.reject(new Error()));
export const signed = signHeaders({ secret: "" });
export const receiver = await testReceiver("http://127.0.0.1:3001/offers", { secret: "" });
export const tested = receiver.test();
export const { suggestions } = await receiver.contactSuggestions({ userEmailAddresses: [] });
