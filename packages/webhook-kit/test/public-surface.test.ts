import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The names that an entry lists; types as well, which exist only in its text. */
function namesOf(entry: string): string[] {
  const text = readFileSync(new URL(`../src/${entry}.ts`, import.meta.url), "utf8");
  expect(text).not.toMatch(/export \*|export default/);
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const declared = [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)];
  return [...listed, ...declared.map(([, name = ""]) => name)]
    .map((name) => name.replace("type ", "").trim())
    .filter(Boolean)
    .sort();
}

test("what each entry exports is a decision", () => {
  expect(namesOf("index")).toEqual([
    "Answer",
    "ConfigurationError",
    "ContactSuggestion",
    "ContactSuggestionRequest",
    "HandlerContext",
    "HandlerError",
    "Handlers",
    "InternalError",
    "Logger",
    "OfferEventDeleted",
    "Rating",
    "ReceiptClaim",
    "Receipts",
    "ReceiverOptions",
    "Rejection",
    "RejectionReason",
    "Secret",
    "SignatureClaim",
    "SignatureScheme",
    "TimelineChanged",
    "UnavailableError",
    "Verified",
    "VerifiedWebhook",
    "VerifyOptions",
    "WebhookKitError",
    "WebhookRequest",
    "WorkerAddedContact",
    "WorkerOfferResponse",
    "isWebhookKitError",
    "memoryReceipts",
    "timestampDigest",
    "verifyRequest",
  ]);
  expect(namesOf("express")).toEqual(["verifyWebhook", "webhookRouter"]);
  expect(namesOf("testing")).toEqual(["TestedReceiver", "signRequest", "testReceiver"]);
});

test("the values at run time are those that are listed", async () => {
  const names = await Promise.all(
    [import("../src/index.ts"), import("../src/express.ts"), import("../src/testing.ts")].map(async (entry) =>
      Object.keys(await entry).sort(),
    ),
  );
  expect(names).toEqual([
    [
      "ConfigurationError",
      "HandlerError",
      "InternalError",
      "UnavailableError",
      "WebhookKitError",
      "isWebhookKitError",
      "memoryReceipts",
      "timestampDigest",
      "verifyRequest",
    ],
    ["verifyWebhook", "webhookRouter"],
    ["signRequest", "testReceiver"],
  ]);
});
