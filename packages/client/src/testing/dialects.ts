import type { OperationName } from "../http.ts";
import { jsonResponse, type ServiceResponse } from "./incoming-request.ts";
import type { RefusalCode } from "./refusal.ts";

/** The known differences between the reference platform's responses and the live service's (D-51). */
export interface Dialect {
  /** The operations that require `api-version` (D-27). */
  readonly versionedOperations: readonly OperationName[];
  /** Returns the response to a creation (D-02). */
  created(id: string): ServiceResponse;
  /** The response to a completion (D-03). */
  readonly completed: ServiceResponse;
  /** The response to a withdrawal (D-10). */
  readonly withdrawn: ServiceResponse;
  /** The response if the offer to read or withdraw is unknown or belongs to another organisation. @default problem details (D-20) */
  readonly absent?: ServiceResponse;
  /** The problem statuses that differ from those of the reference platform (D-19). */
  readonly statuses: Partial<Record<RefusalCode, number>>;
}

export const dialects: Readonly<Record<"reference" | "live", Dialect>> = {
  reference: {
    versionedOperations: ["CompleteOffer"],
    created: (id) => jsonResponse(201, { id }, { Location: `/offer/${id}` }),
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
