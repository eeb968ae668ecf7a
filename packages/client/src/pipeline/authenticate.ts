import { AuthenticationError } from "../errors/answer-errors.ts";
import type { ApiKey } from "../options.ts";
import { type Redact, retell } from "./redact.ts";
import { readApiKey } from "./settings.ts";

/** The key for the next request, from wherever the caller keeps it. */
export async function authenticate(apiKey: Exclude<ApiKey, string>, refresh: boolean, redact: Redact): Promise<string> {
  let key: unknown;
  try {
    key = await apiKey({ refresh });
  } catch (thrown) {
    throw new AuthenticationError("The apiKey function threw; see cause", { cause: retell(thrown, redact) });
  }
  return readApiKey(key);
}
