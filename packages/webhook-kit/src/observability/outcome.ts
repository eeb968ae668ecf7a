import type { AnyWebhookKitError } from "../errors.ts";
import type { Answer } from "../http/response.ts";
import type { Rejection } from "../rejection.ts";

/** How one request ended: handled now or before, rejected, or failed on this side. */
export type Outcome =
  | { readonly response: Answer; readonly duplicate: boolean }
  | { readonly response: Answer; readonly rejection: Rejection }
  | { readonly response: Answer; readonly error: AnyWebhookKitError };
