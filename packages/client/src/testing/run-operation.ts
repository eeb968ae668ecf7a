import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import type { OperationName } from "../http.ts";
import { checkCompletion, checkCreation } from "./check-bodies.ts";
import type { Dialect } from "./dialects.ts";
import type { IdempotencyCache } from "./idempotency-cache.ts";
import { type IncomingRequest, jsonResponse, type ServiceResponse } from "./incoming-request.ts";
import type { OfferStore, Organisation } from "./offer-store.ts";
import { readJson } from "./read-json.ts";
import { Refusal } from "./refusal.ts";

/** The access that a key grants: to the offers of `organisation`, which users of `userOrganisations` may create (D-37). */
export interface ApiKeyGrant {
  readonly organisation: Organisation;
  readonly userOrganisations: readonly Organisation[];
}

/** The state of the service. */
export interface ServiceState {
  readonly dialect: Dialect;
  readonly grants: Map<string, ApiKeyGrant>;
  readonly workers: Map<string, string>;
  readonly offers: OfferStore;
  readonly idempotencyCache: IdempotencyCache;
  readonly now: () => Date;
}

type OperationHandler = (
  state: ServiceState,
  request: IncomingRequest,
  grant: ApiKeyGrant,
  id: string,
) => ServiceResponse;

const operations: Record<OperationName, OperationHandler> = {
  CreateOffer({ dialect, offers, idempotencyCache, workers, now }, request, { organisation, userOrganisations }) {
    const { text, value } = readJson(request);
    return idempotencyCache.runOnce(request, organisation, now(), JSON.stringify(["CreateOffer", text]), () => {
      const creation = checkCreation(value, {
        now: now(),
        mayCreate: (userId) => userOrganisations.some(({ userIds }) => userIds.has(userId)),
        isWorker: (workerId) => workers.has(workerId),
      });
      return dialect.created(offers.create(organisation, creation, (id) => workers.get(id) ?? "", now()));
    });
  },
  GetOffer: ({ offers, now }, _request, { organisation }, id) =>
    jsonResponse(200, offers.read(organisation, id, now())),
  CompleteOffer({ dialect, offers, idempotencyCache, now }, request, { organisation }, id) {
    const { text, value } = readJson(request);
    const workerIds = checkCompletion(value);
    return idempotencyCache.runOnce(request, organisation, now(), JSON.stringify(["CompleteOffer", id, text]), () => {
      offers.complete(organisation, id, workerIds);
      return dialect.completed;
    });
  },
  WithdrawOffer({ dialect, offers }, _request, { organisation }, id) {
    offers.withdraw(organisation, id);
    return dialect.withdrawn;
  },
};

/**
 * Checks the key, then the version, then runs the operation, in the same order as the reference platform.
 *
 * @throws {Refusal}
 */
export function runOperation(
  name: OperationName,
  state: ServiceState,
  request: IncomingRequest,
  id: string,
): ServiceResponse {
  const grant = state.grants.get(request.headers.get(apiKeyHeader) ?? "");
  if (grant === undefined)
    throw new Refusal("invalid_api_key", `Send your organisation's key in the ${apiKeyHeader} header.`, {
      headers: { "WWW-Authenticate": `ApiKey header="${apiKeyHeader}"` },
    });
  checkVersion(new URL(request.url).searchParams, state.dialect.versionedOperations.includes(name));
  try {
    return operations[name](state, request, grant, id);
  } catch (error) {
    const { absent } = state.dialect;
    const isOfferNotFound = error instanceof Refusal && error.code === "offer_not_found";
    if (absent && isOfferNotFound && name !== "CompleteOffer") return absent;
    throw error;
  }
}

/** Checks `api-version` (D-27). */
function checkVersion(query: URLSearchParams, isRequired: boolean): void {
  const versions = query.getAll("api-version");
  // Some HTTP clients encode lists and objects as `api-version[0]`.
  const hasNestedName = [...query.keys()].some((name) => name.startsWith("api-version["));
  const isOmitted = versions.length === 0 && !isRequired;
  const isSupported = versions.length === 1 && versions[0] === apiVersion;
  if (!hasNestedName && (isOmitted || isSupported)) return;
  const remedy = `Send api-version=${apiVersion} exactly once.`;
  throw new Refusal("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}
