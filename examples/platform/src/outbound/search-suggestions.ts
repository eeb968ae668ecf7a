import { maxSuggestionsBytes, requestTimeoutMs } from "../generated/decisions.ts";
import type { Outbound, OutboundResult, Sign } from "./outbound.ts";

export interface SuggestionSearch {
  baseAddress: string;
  secret: string;
  /** What the person typed to narrow the results. */
  filter?: string;
  /** The signed-in person's portal addresses. */
  userEmailAddresses: readonly string[];
}

/** Calls `POST /contact-suggestions`, signed. The answer comes back raw: whoever shows it must validate it. */
export async function searchSuggestions(
  outbound: Outbound,
  sign: Sign,
  { baseAddress, secret, filter, userEmailAddresses }: SuggestionSearch,
): Promise<OutboundResult> {
  return outbound.send({
    method: "POST",
    baseAddress,
    path: "/contact-suggestions",
    headers: await sign(secret),
    body: { ...(filter !== undefined && { filter }), userEmailAddresses },
    timeoutMs: requestTimeoutMs,
    maxReadBytes: maxSuggestionsBytes,
  });
}
