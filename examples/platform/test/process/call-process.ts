export interface ProcessCall {
  /** An organisation's API key. */
  key?: string;
  token?: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** Sends a request to a platform in a separate process. Rejects if the process dies during the request. */
export function callProcess(address: string, method: string, path: string, call: ProcessCall = {}): Promise<Response> {
  const headers = new Headers(call.headers);
  if (call.key !== undefined) headers.set("X-UE-Api-Subscription-Key", call.key);
  if (call.token !== undefined) headers.set("Authorization", `Bearer ${call.token}`);
  if (call.json !== undefined) headers.set("Content-Type", "application/json");
  const body = call.json === undefined ? null : JSON.stringify(call.json);
  return fetch(address + path, { method, headers, body });
}

/** Signs in with the demo password. @returns the bearer token */
export async function signIn(address: string, path: string, credentials: object): Promise<string> {
  const json = { ...credentials, password: "demo-password" };
  const response = await callProcess(address, "POST", path, { json });
  if (response.status !== 201) throw new Error(`The sign-in at ${path} responded with ${response.status}.`);
  return (await response.json()).token;
}
