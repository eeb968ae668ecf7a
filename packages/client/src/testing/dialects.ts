import type { OperationName } from "../operation.ts";
import { type Answer, jsonAnswer } from "./exchange.ts";
import type { RefusalCode } from "./refusal.ts";

/** Where the reference platform and the live service are known to answer differently (D-51). */
export interface Dialect {
  /** D-27 */
  readonly versionedOperations: readonly OperationName[];
  /** D-02 */
  created(id: string): Answer;
  /** D-03 */
  readonly completed: Answer;
  /** D-10 */
  readonly withdrawn: Answer;
  /** To a read or a withdrawal of an offer that is unknown or foreign; without it, a refusal like all others (D-20). */
  readonly absent?: Answer;
  /** Of refusals whose status is another one (D-19). */
  readonly statuses: Partial<Record<RefusalCode, number>>;
}

export const dialects: Readonly<Record<"reference" | "live", Dialect>> = {
  reference: {
    versionedOperations: ["CompleteOffer"],
    created: (id) => jsonAnswer(201, { id }, { Location: `/offer/${id}` }),
    completed: { status: 204 },
    withdrawn: { status: 200 },
    statuses: {},
  },
  live: {
    versionedOperations: ["CreateOffer", "GetOffer", "CompleteOffer", "WithdrawOffer"],
    created: (id) => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body: id }),
    completed: { status: 204 },
    withdrawn: { status: 204 },
    absent: { status: 204 },
    statuses: { offer_not_found: 400, offer_completed: 400, offer_withdrawn: 400, idempotency_key_reused: 400 },
  },
};
