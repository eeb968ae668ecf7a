import type { Outbound, Sign } from "../dispatch/outbound/outbound.ts";
import { searchSuggestions } from "../dispatch/outbound/search-suggestions.ts";
import { requestTimeoutMs } from "../generated/decisions.ts";
import { decryptSecrets, type EncryptedSecrets } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { EndpointScheme } from "../store/tables.ts";
import { checkSuggestions, type Suggestions } from "./check-suggestions.ts";

export interface SearchDeps {
  store: Store;
  outbound: Outbound;
  sign: Sign;
  encryptionKey: Uint8Array;
  now: () => Date;
  onError: (error: unknown) => void;
}

export interface Search {
  /** Those that implement suggestions are called. */
  organisationIds: readonly string[];
  filter?: string;
  userEmailAddresses: readonly string[];
  /** For the whole search, over all organisations. @default 5_000 (D-25) */
  timeoutMs?: number;
}

/** The suggestions of one organisation, or why there are none. */
export type OrganisationResult = { organisation: { id: string; name: string } } & (
  | { suggestions: Suggestions }
  | { failure: { code: string; message: string; status: number | null } }
);

const maxAtOnce = 32;

/**
 * Calls the given organisations (D-88), 32 at a time. They fail independently, but share `timeoutMs`: an organisation whose
 * turn comes too late, or that does not respond in the remaining time, fails with `timeout`.
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
  const rest = endpoints.entries();
  const callNext = async (): Promise<void> => {
    for (const [index, { name, ...endpoint }] of rest) {
      const remainingMs = Math.floor(deadline - performance.now());
      const result = await call(deps, endpoint, { ...search, timeoutMs: remainingMs });
      results[index] = { organisation: { id: endpoint.id, name }, ...result };
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, callNext));
  return results;
}

interface Endpoint extends EncryptedSecrets {
  id: string;
  base_address: string;
  scheme: EndpointScheme;
}

const notReached = { code: "timeout", message: "it was not called: the search timed out first", status: null };

async function call(
  { outbound, sign, encryptionKey, now, onError }: SearchDeps,
  { id, base_address: baseAddress, scheme, ...encrypted }: Endpoint,
  search: Omit<Search, "organisationIds"> & { timeoutMs: number },
) {
  if (search.timeoutMs <= 0) return { failure: notReached };
  try {
    const endpoint = { baseAddress, scheme, ...decryptSecrets(encrypted, encryptionKey, id, now()) };
    const result = await searchSuggestions(outbound, sign, { ...search, ...endpoint });
    if (!result.ok) return { failure: { code: result.code, message: result.reason, status: null } };
    const checked = checkSuggestions(result);
    if (Array.isArray(checked)) return { suggestions: checked };
    return { failure: { ...checked, status: result.status } };
  } catch (error) {
    // D-21: one failure does not fail the search.
    onError(error);
    return { failure: { code: "internal_error", message: "Something went wrong on our side.", status: null } };
  }
}
