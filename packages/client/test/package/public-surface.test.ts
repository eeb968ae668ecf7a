import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Names {
  readonly values: string[];
  readonly types: string[];
}

const entries: Record<string, Names> = {
  index: {
    values: [
      "AbortedError",
      "AuthenticationError",
      "BadRequestError",
      "ConflictError",
      "ConnectionError",
      "InvalidResponseError",
      "NotFoundError",
      "OffersClient",
      "OffersError",
      "PermissionError",
      "RateLimitError",
      "ServerError",
      "TimeoutError",
      "UsageError",
      "isOffersError",
      "isOperationError",
    ],
    types: [
      "AnyOffersError",
      "ApiKey",
      "CallOptions",
      "DeprecationNotice",
      "Fetch",
      "FetchResponse",
      "Logger",
      "Middleware",
      "Offer",
      "OfferEvent",
      "OfferEventInput",
      "OfferInput",
      "OffersClientOptions",
      "OffersPromise",
      "OffersRequest",
      "OperationError",
      "OperationName",
      "Problem",
      "RateLimit",
      "Recipient",
      "SafeResult",
      "WithResponse",
    ],
  },
  // Entries also export the types of the parameters and results of their functions.
  "openapi-fetch": {
    values: ["createOpenApiClient"],
    types: ["AnyOffersError", "Offer", "OffersClientOptions", "OpenApiClient"],
  },
  opentelemetry: {
    values: ["TracedOffersClient"],
    types: ["Offer", "OffersPromise", "OperationError", "Recipient", "SafeResult", "WithResponse"],
  },
  schemas: { values: ["offerSchema", "validateResponses"], types: ["Middleware", "Offer"] },
  testing: {
    values: ["createTestService"],
    types: [
      "SuggestedContact",
      "TestAttempt",
      "TestDelivery",
      "TestNotification",
      "TestRequest",
      "TestService",
      "TestServiceOptions",
      "WebhookOutcome",
    ],
  },
};

/** Returns the names of the types that an entry exports. They exist only in its source. */
function listTypes(entry: string): string[] {
  const text = readFileSync(join(import.meta.dirname, `../../src/${entry}.ts`), "utf8");
  const statements = [...text.matchAll(/^export (.*?);$/gms)].map(([, statement = ""]) => statement);
  expect(statements).toHaveLength(text.match(/\bexport\b/g)?.length ?? 0);
  return statements.flatMap((statement) => {
    const [, typeKeyword, list = ""] =
      /^(type )?\{([^}]*)\} from "[^"]+"$/.exec(statement) ?? expect.unreachable(statement);
    const names = list.split(",").map((name) => name.trim());
    return names
      .filter((name) => name && (typeKeyword || name.startsWith("type ")))
      .map((name) => name.replace("type ", ""));
  });
}

test.each(Object.entries(entries))("%s exports exactly the listed names", async (entry, { values, types }) => {
  expect(Object.keys(await import(`../../src/${entry}.ts`)).sort()).toEqual(values);
  expect(listTypes(entry).sort()).toEqual(types);
});

test("every entry is tested, and there are at most 52 different names", () => {
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  const published = Object.keys(exports).filter((path) => path !== "./package.json");
  expect(published.map((path) => (path === "." ? "index" : path.slice(2))).sort()).toEqual(Object.keys(entries).sort());
  const names = Object.values(entries).flatMap(({ values, types }) => [...values, ...types]);
  expect(new Set(names).size).toBeLessThanOrEqual(52);
});

test("the package has no runtime dependencies", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  // Each peer dependency is needed only by users who import its subpath.
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers.filter((peer) => !manifest.peerDependenciesMeta[peer]?.optional)).toEqual([]);
});
