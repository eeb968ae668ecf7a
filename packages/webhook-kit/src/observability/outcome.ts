import type { AnyWebhookKitError } from "../errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { RejectionFacts } from "../rejection.ts";

/** How one request ended: handled now or before, rejected, or failed on this side. */
export type Outcome =
  | { readonly response: WebhookResponse; readonly duplicate: boolean }
  | { readonly response: WebhookResponse; readonly rejection: RejectionFacts }
  | { readonly response: WebhookResponse; readonly error: AnyWebhookKitError };
