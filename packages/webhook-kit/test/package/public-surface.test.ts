import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const entries = [
  "index",
  "catch-up",
  "express",
  "fetch",
  "lambda",
  "mysql",
  "node",
  "opentelemetry",
  "postgres",
  "redis",
  "sqlite",
  "testing",
];

/** Lists the names that an entry exports. Reads them from its source, because types do not exist at run time. */
function listExports(entry: string): string[] {
  const text = readFileSync(new URL(`../../src/${entry}.ts`, import.meta.url), "utf8");
  expect(text).not.toMatch(/export \*|export default/);
  const listedNames = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names.split(","),
  );
  const declarations = [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)];
  return [...listedNames, ...declarations.map(([, name = ""]) => name)]
    .map((name) => name.replace("type ", "").trim())
    .filter(Boolean)
    .sort();
}

test("each entry exports exactly the listed names", () => {
  expect(listExports("index")).toEqual([
    "AcquireResult",
    "AnyWebhookKitError",
    "ConfigurationError",
    "ContactSuggestion",
    "ContactSuggestionRequest",
    "Deduplication",
    "EventContext",
    "HandlerContext",
    "HandlerError",
    "Handlers",
    "InternalError",
    "InvalidEventError",
    "Logger",
    "OfferEventDeleted",
    "ParsedSignature",
    "ReceiverOptions",
    "Rejection",
    "SecretSource",
    "SignatureScheme",
    "TimelineChanged",
    "TraceContext",
    "UnavailableError",
    "Verified",
    "VerifiedWebhook",
    "VerifyOptions",
    "WebhookEvent",
    "WebhookKitError",
    "WebhookRequest",
    "WebhookResponse",
    "WorkerAddedContact",
    "WorkerOfferResponse",
    "isWebhookKitError",
    "memoryDeduplication",
    "parseWebhookEvent",
    "standardWebhooks",
    "timestampDigest",
    "verifyRequest",
  ]);
  expect(listExports("catch-up")).toEqual([
    "CatchUpOptions",
    "CatchUpSummary",
    "EventContext",
    "ReconcileOptions",
    "ReconcileSummary",
    "ResponseSource",
    "WorkerOfferResponse",
    "catchUp",
    "reconcile",
    "reconcileOnWebhook",
  ]);
  expect(listExports("express")).toEqual(["ReceiverOptions", "VerifyOptions", "verifyWebhook", "webhookRouter"]);
  expect(listExports("fetch")).toEqual([
    "ParseWebhookOptions",
    "ReceiverOptions",
    "WebhookEvent",
    "parseWebhook",
    "webhookHandler",
  ]);
  expect(listExports("lambda")).toEqual(["ReceiverOptions", "webhookFunction"]);
  expect(listExports("node")).toEqual(["ReceiverOptions", "webhookListener"]);
  expect(listExports("opentelemetry")).toEqual(["Tracer", "WebhookEvent", "traceEvent", "webhookTracer"]);
  const inboxNames = ["ResponseLog", "Inbox", "InboxDatabase", "inboxMigration"];
  for (const database of ["mysql", "postgres", "sqlite"])
    expect(listExports(database)).toEqual([...inboxNames, `${database}Inbox`].sort());
  expect(listExports("redis")).toEqual(["Deduplication", "redisDeduplication"]);
  expect(listExports("testing")).toEqual([
    "ContactSuggestion",
    "Deduplication",
    "SignatureScheme",
    "TestedReceiver",
    "WebhookResponse",
    "deduplicationConformance",
    "signHeaders",
    "testReceiver",
  ]);
  expect(new Set(entries.flatMap(listExports)).size).toBeLessThanOrEqual(70);
});

test("each entry exports exactly the listed values at run time", async () => {
  const names = await Promise.all(
    entries.map(async (entry) => Object.keys(await import(`../../src/${entry}.ts`)).sort()),
  );
  expect(names).toEqual([
    [
      "ConfigurationError",
      "HandlerError",
      "InternalError",
      "InvalidEventError",
      "UnavailableError",
      "WebhookKitError",
      "isWebhookKitError",
      "memoryDeduplication",
      "parseWebhookEvent",
      "standardWebhooks",
      "timestampDigest",
      "verifyRequest",
    ],
    ["catchUp", "reconcile", "reconcileOnWebhook"],
    ["verifyWebhook", "webhookRouter"],
    ["parseWebhook", "webhookHandler"],
    ["webhookFunction"],
    ["inboxMigration", "mysqlInbox"],
    ["webhookListener"],
    ["traceEvent", "webhookTracer"],
    ["inboxMigration", "postgresInbox"],
    ["redisDeduplication"],
    ["inboxMigration", "sqliteInbox"],
    ["deduplicationConformance", "signHeaders", "testReceiver"],
  ]);
});
