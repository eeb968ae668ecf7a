import { createHash } from "node:crypto";
import type { Answer } from "../http/answer.ts";
import { pathParameter } from "../http/path-parameter.ts";
import { sha256 } from "../http/sha256.ts";
import { commit } from "../offers/commit.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";
import type { ApiDeps } from "./api-deps.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { Call } from "./operation.ts";

/**
 * Commits `effect` together with its answer, under the request's `Idempotency-Key` if it has one; a repeat of the request
 * has no effect and is given that answer (D-40). An effect that throws leaves nothing behind, so its key stays free.
 *
 * @param call whose body has been read
 * @throws {ProblemError} `idempotency_key_reused` when another request had the key
 */
export async function answerOnce(deps: ApiDeps, call: Call, effect: (trx: Trx) => Promise<Answer>): Promise<Answer> {
  const key = idempotencyKey(call.request);
  if (key === undefined) return commit(deps, effect);
  const organisationId = call.caller.organisationId;
  const keyHash = sha256(key);
  const fingerprint = fingerprintOf(call);
  return commit(deps, async (trx) => {
    // Waits while another transaction holds the key: when that one is over, its answer is there or the key is free.
    const claimed = await trx
      .insertInto("idempotency_keys")
      .values({ organisation_id: organisationId, key_hash: keyHash, fingerprint, answer: "", created_at: deps.now() })
      .onConflict((conflict) => conflict.doNothing())
      .returning("key_hash")
      .executeTakeFirst();
    if (claimed === undefined) return repeat(trx, organisationId, keyHash, fingerprint);
    const answer = await effect(trx);
    await trx
      .updateTable("idempotency_keys")
      .set({ answer: JSON.stringify(answer) })
      .where("organisation_id", "=", organisationId)
      .where("key_hash", "=", keyHash)
      .execute();
    return answer;
  });
}

async function repeat(trx: Trx, organisationId: string, keyHash: string, fingerprint: string): Promise<Answer> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer"])
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .executeTakeFirstOrThrow();
  if (first.fingerprint !== fingerprint)
    throw new ProblemError(
      "idempotency_key_reused",
      "Another request had this key; give every request one of its own.",
    );
  const answer: Answer = JSON.parse(first.answer);
  return { ...answer, headers: { ...answer.headers, "Idempotency-Replayed": "true" } };
}

/** The operation, the offer and the body's bytes. */
const fingerprintOf = ({ operation, request }: Call): string =>
  createHash("sha256")
    .update(JSON.stringify([operation, pathParameter(request, "id")]))
    .update(request.body)
    .digest("hex");
