import type { Outbound, Sign } from "../outbound/outbound.ts";
import { searchSuggestions } from "../outbound/search-suggestions.ts";
import { unseal } from "../store/seal.ts";
import type { Store } from "../store/store.ts";
import { checkSuggestions, type Suggestions } from "./check-suggestions.ts";

export interface SearchDeps {
  store: Store;
  outbound: Outbound;
  sign: Sign;
  sealKey: Uint8Array;
}

export interface Search {
  filter?: string;
  userEmailAddresses: readonly string[];
}

/** What one organisation answered: its suggestions, or why there are none. */
export type OrganisationAnswer = { organisation: { id: string; name: string } } & (
  | { suggestions: Suggestions }
  | { failure: { code: string; message: string; status: number | null } }
);

/** Asks every organisation that implements suggestions (D-22), all at once. One that fails keeps nobody waiting. */
export async function searchAll(deps: SearchDeps, search: Search): Promise<OrganisationAnswer[]> {
  const endpoints = await deps.store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["organisations.id", "organisations.name", "base_address", "sealed_secret"])
    .where("suggests_contacts", "=", true)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  return await Promise.all(
    endpoints.map(async ({ id, name, base_address: baseAddress, sealed_secret: sealedSecret }) => {
      const secret = unseal(sealedSecret, deps.sealKey, id);
      const answer = await ask(deps, { ...search, baseAddress, secret });
      return { organisation: { id, name }, ...answer };
    }),
  );
}

async function ask({ outbound, sign }: SearchDeps, search: Parameters<typeof searchSuggestions>[2]) {
  const result = await searchSuggestions(outbound, sign, search);
  if (!result.ok) return { failure: { code: result.code, message: result.reason, status: null } };
  const checked = checkSuggestions(result);
  if (Array.isArray(checked)) return { suggestions: checked };
  return { failure: { ...checked, status: result.status } };
}
