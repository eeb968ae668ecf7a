import { createHash } from "node:crypto";
import { idempotent } from "../../http/idempotent.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import type { RouteResponse } from "../../http/response.ts";
import { sha256 } from "../../store/encrypt.ts";
import type { Trx } from "../../store/store.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { ApiDeps, Call } from "./operation.ts";

/**
 * Commits `effect` together with its response under the request's `Idempotency-Key`. A retry of the request has no effect and
 * returns the stored response (D-40).
 *
 * @param call with its body read
 * @throws {ProblemError} `idempotency_key_reused` when a different request used the key
 */
export async function withIdempotencyKey(
  deps: ApiDeps,
  call: Call,
  effect: (trx: Trx) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const key = idempotencyKey(call.request);
  if (key === undefined) return deps.store.transaction(effect);
  const { organisationId } = call.caller;
  const record = { organisationId, keyHash: sha256(key), fingerprint: fingerprintOf(call), now: deps.now() };
  const { result, replayed } = await deps.store.transaction((trx) => idempotent(trx, record, () => effect(trx)));
  return replayed ? { ...result, headers: { ...result.headers, "Idempotency-Replayed": "true" } } : result;
}

/** The operation, the offer and the body's bytes. */
const fingerprintOf = ({ operation, request }: Call): string =>
  createHash("sha256")
    .update(JSON.stringify([operation, pathParameter(request, "id")]))
    .update(request.body)
    .digest("hex");
