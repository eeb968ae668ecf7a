import type { operations } from "../generated/openapi.ts";
import { type Answer, jsonAnswer } from "../http/response.ts";
import { offerNotFound } from "../offers/refusal-problem.ts";
import type { ProblemCode } from "../problem/problem-kinds.ts";

export type OfferOperation = Extract<keyof operations, "CreateOffer" | "GetOffer" | "CompleteOffer" | "WithdrawOffer">;

/** The statuses that spec/openapi.yaml has for an operation. */
type StatusOf<Operation extends OfferOperation> = keyof operations[Operation]["responses"];

/** Where the reference platform and the live service answer differently; everything else is alike. */
export interface Dialect {
  /** D-27 */
  readonly apiVersionRequiredOn: readonly OfferOperation[];
  /** D-02 */
  created(offerId: string): Answer;
  /** D-03 */
  readonly completed: Answer;
  /** D-10 */
  readonly withdrawn: Answer;
  /** To a read or a withdrawal of an offer that is unknown or foreign (D-20). */
  absent(): Answer;
  /** Of kinds of problems whose status is another one (D-19). */
  readonly statuses: Partial<Record<ProblemCode, number>>;
}

export const dialects = {
  reference: {
    apiVersionRequiredOn: ["CompleteOffer"],
    created: (id) => jsonAnswer(201 satisfies StatusOf<"CreateOffer">, { id }, { Location: `/offer/${id}` }),
    completed: { status: 204 satisfies StatusOf<"CompleteOffer"> },
    withdrawn: { status: 200 satisfies StatusOf<"WithdrawOffer"> },
    absent() {
      throw offerNotFound();
    },
    statuses: {},
  },
  live: {
    apiVersionRequiredOn: ["CreateOffer", "GetOffer", "CompleteOffer", "WithdrawOffer"],
    created: (id) => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body: id }),
    completed: { status: 204 },
    withdrawn: { status: 204 },
    absent: () => ({ status: 204 }),
    // Of the kinds of problems it is known for, 400 is the one for a request that is refused. To complete an unknown offer
    // is among them: nobody has applied to it.
    statuses: { offer_not_found: 400, offer_complete: 400, offer_withdrawn: 400, idempotency_key_reused: 400 },
  },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
