import { createHash } from "node:crypto";
import { pathParameter } from "../http/path-parameter.ts";
import type { Answer } from "../http/response.ts";
import { sha256 } from "../http/sha256.ts";
import { once } from "../idempotency/idempotent.ts";
import { commit } from "../offers/commit-and-publish.ts";
import type { Trx } from "../store/store.ts";
import type { ApiDeps } from "./api-deps.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { Call } from "./operation.ts";

/**
 * Commits `effect` together with its answer, under the request's `Idempotency-Key` if it has one; a repeat of the request
 * has no effect and is given that answer (D-40).
 *
 * @param call whose body has been read
 * @throws {ProblemError} `idempotency_key_reused` when another request had the key
 */
export async function answerOnce(deps: ApiDeps, call: Call, effect: (trx: Trx) => Promise<Answer>): Promise<Answer> {
  const key = idempotencyKey(call.request);
  if (key === undefined) return commit(deps, effect);
  const { organisationId } = call.caller;
  const onceKey = { organisationId, keyHash: sha256(key), fingerprint: fingerprintOf(call), now: deps.now() };
  const { result, isRepeat } = await commit(deps, (trx) => once(trx, onceKey, () => effect(trx)));
  return isRepeat ? { ...result, headers: { ...result.headers, "Idempotency-Replayed": "true" } } : result;
}

/** The operation, the offer and the body's bytes. */
const fingerprintOf = ({ operation, request }: Call): string =>
  createHash("sha256")
    .update(JSON.stringify([operation, pathParameter(request, "id")]))
    .update(request.body)
    .digest("hex");
