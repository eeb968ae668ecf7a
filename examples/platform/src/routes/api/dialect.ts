import type { operations } from "@offers/contract/openapi";
import type { ProblemCode } from "../../http/problem.ts";
import { jsonResponse, type RouteResponse } from "../../http/routes.ts";
import { offerNotFound } from "../../offers/apply-action.ts";

export type OfferOperation = Extract<keyof operations, "CreateOffer" | "GetOffer" | "CompleteOffer" | "WithdrawOffer">;

/** The statuses that spec/openapi.yaml lists for an operation. */
type StatusOf<Operation extends OfferOperation> = keyof operations[Operation]["responses"];

/** The behaviour in which the reference platform and the live service differ. */
export interface Dialect {
  /** The operations that require `api-version` (D-27). */
  readonly apiVersionRequiredOn: readonly OfferOperation[];
  /** Returns the response to a creation (D-02). */
  created(offerId: string): RouteResponse;
  /** The response to a completion (D-03). */
  readonly completed: RouteResponse;
  /** The response to a withdrawal (D-10). */
  readonly withdrawn: RouteResponse;
  /**
   * Returns the response to reading or withdrawing an offer that is unknown or belongs to a different organisation (D-20), or throws the
   * problem.
   */
  onAbsentOffer(): RouteResponse;
  /** The statuses that replace the default statuses of problems (D-19). */
  readonly statuses: Partial<Record<ProblemCode, number>>;
}

export const dialects = {
  reference: {
    apiVersionRequiredOn: ["CompleteOffer"],
    created: (id) => jsonResponse(201 satisfies StatusOf<"CreateOffer">, { id }, { Location: `/offer/${id}` }),
    completed: { status: 204 satisfies StatusOf<"CompleteOffer"> },
    withdrawn: { status: 200 satisfies StatusOf<"WithdrawOffer"> },
    onAbsentOffer() {
      throw offerNotFound();
    },
    statuses: {},
  },
  live: {
    apiVersionRequiredOn: ["CreateOffer", "GetOffer", "CompleteOffer", "WithdrawOffer"],
    created: (id) => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body: id }),
    completed: { status: 204 },
    withdrawn: { status: 204 },
    onAbsentOffer: () => ({ status: 204 }),
    // The live service documents 400 for every rejected request, including the completion of an unknown offer.
    statuses: { offer_not_found: 400, offer_completed: 400, offer_withdrawn: 400, idempotency_key_reused: 400 },
  },
} as const satisfies Record<string, Dialect>;
