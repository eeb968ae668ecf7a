import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as offers from "../src/index.ts";

test("the values that can be imported are these and no others", () =>
  expect(Object.keys(offers).sort()).toEqual([
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
  ]));

test("the types that can be imported are these and no others", () => {
  // A type exists only in the entry's text.
  const index = readFileSync(join(import.meta.dirname, "../src/index.ts"), "utf8");
  const statements = [...index.matchAll(/^export (.*?);$/gms)].map(([, statement = ""]) => statement);
  expect(statements).toHaveLength(index.match(/\bexport\b/g)?.length ?? 0);
  const types = statements.flatMap((statement) => {
    const [, all, list = ""] = /^(type )?\{([^}]*)\} from "[^"]+"$/.exec(statement) ?? expect.unreachable(statement);
    const names = list.split(",").map((name) => name.trim());
    return names.filter((name) => name && (all || name.startsWith("type "))).map((name) => name.replace("type ", ""));
  });
  expect(types.sort()).toEqual([
    "ApiKey",
    "CallOptions",
    "Fetch",
    "FetchResponse",
    "Logger",
    "Middleware",
    "Offer",
    "OfferInput",
    "OffersCall",
    "OffersClientOptions",
    "OffersFailure",
    "OffersRequest",
    "Problem",
    "Recipient",
    "SafeResult",
  ]);
});

test("the package depends on nothing at run time", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  // A subpath's peer is for those who import it.
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers.filter((peer) => !manifest.peerDependenciesMeta[peer]?.optional)).toEqual([]);
});
