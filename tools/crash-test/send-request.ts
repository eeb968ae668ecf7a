/** What a request asks. */
export interface RequestOptions {
  method: "GET" | "POST" | "PUT";
  path: string;
  /** An organisation's API key, or a bearer token of the portal or the worker's app. */
  key?: string;
  token?: string;
  json?: unknown;
  idempotencyKey?: string;
}

/** `unsent`: nothing has happened. `unknown`: whatever was asked may have happened, or not, or be about to. */
export type Outcome = { status: number; retryAfterMs: number; text: string } | "unsent" | "unknown";

const timeoutMs = 10_000;

/** Asks a process of the platform once. Never rejects: they die all the time. */
export async function sendRequest(
  address: string,
  { method, path, key, token, json, idempotencyKey }: RequestOptions,
): Promise<Outcome> {
  const headers = new Headers();
  if (key !== undefined) headers.set("X-UE-Api-Subscription-Key", key);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  if (json !== undefined) headers.set("Content-Type", "application/json");
  const body = json === undefined ? null : JSON.stringify(json);
  try {
    const response = await fetch(address + path, { method, headers, body, signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    // An error on its side may have come after the commit.
    if (response.status >= 500) return "unknown";
    const retryAfterMs = 1_000 * Number(response.headers.get("retry-after") ?? 0);
    return { status: response.status, retryAfterMs, text };
  } catch (error) {
    return codeOf(error) === "ECONNREFUSED" ? "unsent" : "unknown";
  }
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as NodeJS.ErrnoException;
  return cause === undefined ? code : codeOf(cause);
}
