import type { OperationName } from "../contract/operation-name.ts";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { OffersErrorDetails } from "../errors/offers-error.ts";
import { unannotated } from "../errors/unannotated.ts";
import { UsageError } from "../errors/usage-error.ts";
import { showCallSite } from "./show-call-site.ts";

/** A call, as its errors show it. */
export interface CallDetails {
  readonly operation: OperationName;
  readonly host?: string;
  readonly callSite: Error | undefined;
  readonly attempts: number;
}

/** Adds to an unannotated error what the thrower does not know: operation, attempts, host and the caller's stack frames. */
export function annotateError(error: AnyOffersError, call: CallDetails): AnyOffersError {
  const { operation, host, callSite, attempts } = call;
  delete (error as OffersErrorDetails)[unannotated];
  const at = error instanceof UsageError || !host ? "" : ` at ${host}`;
  Object.assign(error, { operation, attempts, message: `${operation}${at}: ${error.message}` });
  if (callSite) showCallSite(error, callSite);
  return error;
}
