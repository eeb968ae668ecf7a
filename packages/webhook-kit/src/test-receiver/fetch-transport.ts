import { withTimeout } from "../http/with-timeout.ts";
import type { Transport } from "./transport.ts";

/** Calls a function from Request to Response, without a server. */
export function fetchTransport(
  app: { fetch(request: Request): Response | Promise<Response> },
  timeoutMs: number,
): Transport {
  const timedOut = () => new DOMException(`No response in ${timeoutMs} ms.`, "TimeoutError");
  const inTime = <T>(value: T | Promise<T>) => withTimeout(Promise.resolve(value), timeoutMs, timedOut);
  return {
    async send({ method, path, headers, body }) {
      const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
      const request = new Request(`http://localhost${path}`, body ? { ...init, body: new Uint8Array(body) } : init);
      const response = await inTime(app.fetch(request));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await inTime(response.text()),
      };
    },
    close: async () => undefined,
  };
}
