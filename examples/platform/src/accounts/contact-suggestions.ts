import { maxSuggestionsBytes, requestTimeoutMs } from "@offers/contract/decisions";
import { nullAsAbsent } from "@offers/contract/received-values";
import { contactSuggestionSchema, ratingSchema } from "@offers/contract/schemas";
import { z } from "zod";
import type { EndpointClient, EndpointResponse, EndpointResult, Sign } from "../endpoint-client/endpoint-client.ts";
import { type SignedEndpoint, sendSigned, type Webhook } from "../endpoint-client/send-signed.ts";
import { lineField } from "../http/fields.ts";
import { fieldErrors } from "../http/validation.ts";
import { decryptSecrets, type EncryptedSecrets } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { EndpointScheme } from "../store/tables.ts";

export interface SearchDeps {
  store: Store;
  endpointClient: EndpointClient;
  sign: Sign;
  encryptionKey: Uint8Array;
  now: () => Date;
  onError: (error: unknown) => void;
}

export interface Search {
  /** The organisations to call. Those that do not implement suggestions are skipped. */
  organisationIds: readonly string[];
  filter?: string;
  userEmailAddresses: readonly string[];
  /** The time limit for the whole search, across all organisations. @default 5_000 (D-25) */
  timeoutMs?: number;
}

/** The suggestions from one organisation, or the reason why the search failed there. */
export type OrganisationResult = { organisation: { id: string; name: string } } & (
  | { suggestions: Suggestions }
  | { failure: { code: string; message: string; status: number | null } }
);

const maxConcurrent = 32;

/**
 * Searches for suggestions at these organisations, 32 at a time (D-88). They fail independently but share `timeoutMs`: an organisation
 * fails with `timeout` if its turn comes too late, or if it does not respond in the remaining time.
 */
export async function searchAll(
  deps: SearchDeps,
  { timeoutMs = requestTimeoutMs, organisationIds, ...search }: Search,
): Promise<OrganisationResult[]> {
  const deadline = performance.now() + timeoutMs;
  const endpoints = await deps.store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["organisations.id", "organisations.name", "base_address", "scheme"])
    .select(["encrypted_secret", "previous_encrypted_secret", "previous_secret_until"])
    .where("suggests_contacts", "=", true)
    .where("organisations.id", "in", organisationIds)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  const results: OrganisationResult[] = [];
  // All concurrent loops share this iterator, so each endpoint is called once.
  const queue = endpoints.entries();
  const searchNext = async (): Promise<void> => {
    for (const [index, { name, ...endpoint }] of queue) {
      const remainingMs = Math.floor(deadline - performance.now());
      const result = await searchOrganisation(deps, endpoint, { ...search, timeoutMs: remainingMs });
      results[index] = { organisation: { id: endpoint.id, name }, ...result };
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, searchNext));
  return results;
}

interface Endpoint extends EncryptedSecrets {
  id: string;
  base_address: string;
  scheme: EndpointScheme;
}

const notCalledFailure = {
  code: "timeout",
  message: "The search timed out before this organisation was called.",
  status: null,
};

async function searchOrganisation(
  { endpointClient, sign, encryptionKey, now, onError }: SearchDeps,
  { id, base_address: baseAddress, scheme, ...encrypted }: Endpoint,
  search: Omit<Search, "organisationIds"> & { timeoutMs: number },
) {
  if (search.timeoutMs <= 0) return { failure: notCalledFailure };
  try {
    const endpoint = { baseAddress, scheme, ...decryptSecrets(encrypted, encryptionKey, id, now()) };
    const result = await searchSuggestions(endpointClient, sign, { ...search, ...endpoint });
    if (!result.ok) return { failure: { code: result.code, message: result.reason, status: null } };
    const suggestionsOrError = parseSuggestions(result);
    if (Array.isArray(suggestionsOrError)) return { suggestions: suggestionsOrError };
    return { failure: { ...suggestionsOrError, status: result.status } };
  } catch (error) {
    // D-21: one organisation's failure does not fail the search.
    onError(error);
    return { failure: { code: "internal_error", message: "Something went wrong on our side.", status: null } };
  }
}

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** D-28: a `lastWorked` without a time means midnight UTC. */
const lastWorked = z.preprocess(
  (value) => (typeof value === "string" && dateOnly.test(value) ? `${value}T00:00:00Z` : value),
  ratingSchema.shape.lastWorked,
);

const suggestionsSchema = z.array(
  nullAsAbsent(
    contactSuggestionSchema.out.extend({
      // A suggested person can be invited, so the name must be safe to show in an email.
      name: lineField,
      ratings: z.array(ratingSchema.extend({ lastWorked })),
    }),
  ),
);

export type Suggestions = z.infer<typeof suggestionsSchema>;

export interface InvalidSuggestions {
  code: "unexpected_status" | "response_too_large" | "malformed_json" | "invalid_suggestions";
  message: string;
}

/** Parses and validates a response. @returns its suggestions, or why the response is invalid (D-21) */
export function parseSuggestions({
  status,
  body,
  contentEncoding,
  truncated,
}: EndpointResponse): Suggestions | InvalidSuggestions {
  if (status !== 200) return { code: "unexpected_status", message: `It responded with ${status} instead of 200.` };
  if (truncated) return { code: "response_too_large", message: "The response is larger than 1 MiB." };
  const value = parseJson(body);
  if (value === undefined && contentEncoding !== undefined)
    return { code: "malformed_json", message: compressedMessage(contentEncoding) };
  if (value === undefined)
    return { code: "malformed_json", message: "The response is not JSON, or it is nested too deeply." };
  const parsed = suggestionsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  // Do not report the values, because they are personal data.
  const fields = [...fieldErrors(parsed.error.issues, value).keys()].join(", ");
  return {
    code: "invalid_suggestions",
    message: `The response is not a valid list of suggestions; invalid fields: ${fields}.`,
  };
}

/** Explains that the response is compressed. Quotes the encoding only if it looks valid, because receivers may send any string. */
function compressedMessage(contentEncoding: string): string {
  const encoding = /^[\w, -]{1,40}$/.test(contentEncoding) ? ` (${contentEncoding})` : "";
  return `The response is compressed${encoding}, although the request does not accept compression (Accept-Encoding: identity).`;
}

/** Parses JSON in UTF-8. @returns undefined if it is not valid, or nested too deeply */
function parseJson(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    // Throws if the value is nested too deeply to serialise.
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}

const webhook = { method: "POST", path: "/contact-suggestions" } satisfies Webhook;

export interface SuggestionSearch extends SignedEndpoint {
  /** The search term, which narrows the results. */
  filter?: string;
  /** The email addresses of the signed-in user. */
  userEmailAddresses: readonly string[];
  /** @default 5_000 (D-25) */
  timeoutMs?: number;
}

/** Sends a signed `POST /contact-suggestions`. The caller must validate the response. */
export async function searchSuggestions(
  endpointClient: EndpointClient,
  sign: Sign,
  { filter, userEmailAddresses, timeoutMs = requestTimeoutMs, ...endpoint }: SuggestionSearch,
): Promise<EndpointResult> {
  return sendSigned(endpointClient, sign, endpoint, {
    ...webhook,
    body: { ...(filter !== undefined && { filter }), userEmailAddresses },
    timeoutMs,
    maxReadBytes: maxSuggestionsBytes,
  });
}
