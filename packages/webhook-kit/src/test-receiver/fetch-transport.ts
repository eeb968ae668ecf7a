import type { Transport } from "./transport.ts";

/** Calls a function from Request to Response, without a server. */
export function fetchTransport(
  app: { fetch(request: Request): Response | Promise<Response> },
  timeoutMs: number,
): Transport {
  return {
    async send({ method, path, headers, body }) {
      const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
      const request = new Request(`http://localhost${path}`, body ? { ...init, body: new Uint8Array(body) } : init);
      const response = await beforeTimeout(app.fetch(request), timeoutMs);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await beforeTimeout(response.text(), timeoutMs),
      };
    },
    close: async () => undefined,
  };
}

/** Unlike `withTimeout`, keeps the process alive: a test waits for the result. */
async function beforeTimeout<T>(value: T | Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(`No response in ${timeoutMs} ms.`, "TimeoutError")), timeoutMs);
  });
  try {
    return await Promise.race([value, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
