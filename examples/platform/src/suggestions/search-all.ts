import { requestTimeoutMs } from "../generated/decisions.ts";
import type { Outbound, Sign } from "../outbound/outbound.ts";
import { searchSuggestions } from "../outbound/search-suggestions.ts";
import { openSecrets, type SealedSecrets } from "../store/sealed-secrets.ts";
import type { Store } from "../store/store.ts";
import type { EndpointScheme } from "../store/tables.ts";
import { checkSuggestions, type Suggestions } from "./check-suggestions.ts";

export interface SearchDeps {
  store: Store;
  outbound: Outbound;
  sign: Sign;
  sealKey: Uint8Array;
  now: () => Date;
  onError: (error: unknown) => void;
}

export interface Search {
  /** Of these, those that implement suggestions are asked. */
  organisationIds: readonly string[];
  filter?: string;
  userEmailAddresses: readonly string[];
  /** For the whole search, however many are asked. @default 5_000 (D-25) */
  timeoutMs?: number;
}

/** What one organisation answered: its suggestions, or why there are none. */
export type OrganisationAnswer = { organisation: { id: string; name: string } } & (
  | { suggestions: Suggestions }
  | { failure: { code: string; message: string; status: number | null } }
);

/** Sockets and memory are finite. */
const maxAtOnce = 32;

/**
 * Asks each of the organisations named (D-88), many at once. What fails of one is no matter of another, but
 * time: whose turn has not come before it is over fails with `timeout`, as who does not answer in what is left of it.
 */
export async function searchAll(
  deps: SearchDeps,
  { timeoutMs = requestTimeoutMs, organisationIds, ...search }: Search,
): Promise<OrganisationAnswer[]> {
  const deadline = performance.now() + timeoutMs;
  const endpoints = await deps.store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["organisations.id", "organisations.name", "base_address", "scheme"])
    .select(["sealed_secret", "previous_sealed_secret", "previous_secret_until"])
    .where("suggests_contacts", "=", true)
    .where("organisations.id", "in", organisationIds)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  const answers: OrganisationAnswer[] = [];
  const rest = endpoints.entries();
  const askInTurn = async (): Promise<void> => {
    for (const [index, { id, name, ...endpoint }] of rest)
      answers[index] = { organisation: { id, name }, ...(await ask(deps, id, endpoint, { ...search, deadline })) };
  };
  await Promise.all(Array.from({ length: maxAtOnce }, askInTurn));
  return answers;
}

interface Endpoint extends SealedSecrets {
  base_address: string;
  scheme: EndpointScheme;
}

interface Question extends Omit<Search, "timeoutMs" | "organisationIds"> {
  /** On the clock of `performance`. */
  deadline: number;
}

const notReached = { code: "timeout", message: "it was not asked: the time of the search was over", status: null };

async function ask(
  deps: SearchDeps,
  id: string,
  { base_address: baseAddress, scheme, ...sealed }: Endpoint,
  { deadline, ...search }: Question,
) {
  const { outbound, sign, sealKey, now, onError } = deps;
  const timeoutMs = Math.floor(deadline - performance.now());
  if (timeoutMs <= 0) return { failure: notReached };
  try {
    const endpoint = { baseAddress, scheme, ...openSecrets(sealed, sealKey, id, now()) };
    const result = await searchSuggestions(outbound, sign, { ...search, ...endpoint, timeoutMs });
    if (!result.ok) return { failure: { code: result.code, message: result.reason, status: null } };
    const checked = checkSuggestions(result);
    if (Array.isArray(checked)) return { suggestions: checked };
    return { failure: { ...checked, status: result.status } };
  } catch (error) {
    // D-21: the others' suggestions are shown.
    onError(error);
    return { failure: { code: "internal_error", message: "Something went wrong on our side.", status: null } };
  }
}
