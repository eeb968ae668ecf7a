import { createHash } from "node:crypto";
import { apiVersion } from "@offers/contract/decisions";
import { idempotencyKeySchema } from "@offers/contract/schemas";
import type { Request, RequestHandler, Response } from "express";
import { authenticate, type Caller } from "../../accounts/api-keys.ts";
import type { RateLimits } from "../../accounts/rate-limits.ts";
import { runIdempotently } from "../../http/idempotent.ts";
import { invalidRequest, ProblemError } from "../../http/problem.ts";
import type { ReadJson } from "../../http/read-body.ts";
import { pathParameter, type RouteResponse, sendResponse } from "../../http/routes.ts";
import { rejectUnknownParameters } from "../../http/validation.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import { sha256 } from "../../store/encrypt.ts";
import type { Trx } from "../../store/store.ts";
import type { Dialect, OfferOperation } from "./dialect.ts";

export interface ApiDeps extends OfferDeps {
  readJson: ReadJson;
  dialect: Dialect;
  rateLimits: RateLimits;
}

/** An authenticated request that calls an operation. */
interface Call {
  readonly operation: OfferOperation;
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
}

interface ApiRoute {
  isVersionRequired: boolean;
  /** The query parameters that the route accepts, in addition to `api-version`. */
  parameters?: readonly string[];
}

/** Creates a handler that checks the API key, the version and the query parameters, and then responds. */
export const apiRoute =
  (
    deps: ApiDeps,
    { isVersionRequired, parameters = [] }: ApiRoute,
    respond: (call: Omit<Call, "operation">) => Promise<RouteResponse>,
  ): RequestHandler =>
  async (request, response) => {
    const caller = await authenticate(deps, request, response);
    checkApiVersion(request, isVersionRequired);
    rejectUnknownParameters(request, ["api-version", ...parameters]);
    sendResponse(response, await respond({ caller, request, response }));
  };

/** Creates the handler for an operation in the contract. */
export const operationHandler = (
  deps: ApiDeps,
  name: OfferOperation,
  respond: (call: Call) => Promise<RouteResponse>,
): RequestHandler =>
  apiRoute(deps, { isVersionRequired: deps.dialect.apiVersionRequiredOn.includes(name) }, (call) =>
    respond({ ...call, operation: name }),
  );

/**
 * Checks that `api-version` is sent exactly once and is supported. It may be absent unless `isRequired` (D-27).
 *
 * @throws {ProblemError} `unsupported_api_version`
 */
export function checkApiVersion(request: Request, isRequired: boolean): void {
  const version = request.query["api-version"];
  // Some HTTP clients encode lists and objects as `api-version[0]`.
  const isNested = Object.keys(request.query).some((name) => name.startsWith("api-version["));
  if (!isNested && (version === apiVersion || (version === undefined && !isRequired))) return;
  const remedy = `Send api-version=${apiVersion} exactly once.`;
  throw new ProblemError("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}

/**
 * Commits `effect` together with its response under the request's `Idempotency-Key`. A retry has no effect and
 * returns the stored response (D-40). A request without a key takes effect each time.
 *
 * @param call a call with a request body that was already read
 * @throws {ProblemError} `idempotency_key_reused` if a different request used the key
 */
export async function withIdempotencyKey(
  deps: ApiDeps,
  call: Call,
  effect: (trx: Trx) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const key = readIdempotencyKey(call.request);
  if (key === undefined) return deps.store.transaction(effect);
  const { organisationId } = call.caller;
  const record = { organisationId, keyHash: sha256(key), fingerprint: requestFingerprint(call), now: deps.now() };
  const { result, replayed } = await deps.store.transaction((trx) => runIdempotently(trx, record, () => effect(trx)));
  return replayed ? { ...result, headers: { ...result.headers, "Idempotency-Replayed": "true" } } : result;
}

/** Hashes the operation, the offer id and the body. */
const requestFingerprint = ({ operation, request }: Call): string =>
  createHash("sha256")
    .update(JSON.stringify([operation, pathParameter(request, "id")]))
    .update(request.body)
    .digest("hex");

const headerName = "Idempotency-Key";

/**
 * Reads the idempotency key, which makes the request safe to retry (D-40). Returns undefined if no key was sent.
 *
 * @throws {ProblemError} `invalid_request` for a key that is empty, too long, not printable ASCII or sent twice
 */
export function readIdempotencyKey(request: Request): string | undefined {
  const [key, ...duplicates] = request.headersDistinct[headerName.toLowerCase()] ?? [];
  if (key === undefined) return undefined;
  if (idempotencyKeySchema.safeParse(key).success && duplicates.length === 0) return key;
  throw invalidRequest(
    new Map([[headerName, ["Send at most one Idempotency-Key, of 1 to 255 printable ASCII characters."]]]),
  );
}
