import { maxSuggestionsBytes, requestTimeoutMs } from "../../generated/decisions.ts";
import type { Outbound, OutboundResult, Sign } from "./outbound.ts";
import { type SignedEndpoint, sendSigned, type Webhook } from "./send-signed.ts";

const webhook = { method: "POST", path: "/contact-suggestions" } satisfies Webhook;

export interface SuggestionSearch extends SignedEndpoint {
  /** Narrows the results. */
  filter?: string;
  /** The signed-in person's portal addresses. */
  userEmailAddresses: readonly string[];
  /** @default 5_000 (D-25) */
  timeoutMs?: number;
}

/** Calls `POST /contact-suggestions`, signed. The response is returned raw: the caller must validate it. */
export async function searchSuggestions(
  outbound: Outbound,
  sign: Sign,
  { filter, userEmailAddresses, timeoutMs = requestTimeoutMs, ...endpoint }: SuggestionSearch,
): Promise<OutboundResult> {
  return sendSigned(outbound, sign, endpoint, {
    ...webhook,
    body: { ...(filter !== undefined && { filter }), userEmailAddresses },
    timeoutMs,
    maxReadBytes: maxSuggestionsBytes,
  });
}
