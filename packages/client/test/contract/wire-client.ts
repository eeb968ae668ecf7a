import { type ContractFixture, keys } from "./fixture.ts";

export interface WireResponse {
  status: number;
  headers: Headers;
  text: string;
}

export const jsonHeaders = { "content-type": "application/json" };

export const parseProblem = ({ text }: WireResponse) => JSON.parse(text);

/** Sends HTTP requests to a service, by default with Harbour's key. */
export function createWireClient(getFixture: () => ContractFixture) {
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<WireResponse> => {
    const { baseUrl, fetch } = getFixture();
    const headers = new Headers({ "x-ue-api-subscription-key": keys.harbour });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(baseUrl + path, { ...init, method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call("POST", path, { body: JSON.stringify(body), headers: { ...jsonHeaders, ...headers } });
  return { call, post };
}
