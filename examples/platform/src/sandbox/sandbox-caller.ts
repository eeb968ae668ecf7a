import { demo } from "./demo.ts";

/** Calls the running sandbox as a demo account, over HTTP like any other program. */
export class SandboxCaller {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async call(method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Response> {
    return await fetch(this.#address + path, {
      method,
      headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  }

  /** @returns the header that later calls need */
  async signIn(path: string, credentials: Record<string, string>): Promise<Record<string, string>> {
    const response = await this.call("POST", path, {}, { ...credentials, password: demo.password });
    if (response.status !== 201) throw new Error(`${path} responded with ${response.status}`);
    const { token } = (await response.json()) as { token: string };
    return { Authorization: `Bearer ${token}` };
  }
}
