/** A request that has been received completely. */
export interface IncomingRequest {
  method: string;
  url: string;
  headers: Headers;
  body: Uint8Array;
  signal: AbortSignal | undefined;
}

/** A response as plain data, which can be stored and replayed. */
export interface ServiceResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export const jsonResponse = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ServiceResponse => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

/** Parses the arguments of `fetch` without creating a `Request`, which would reject jsdom's `AbortSignal`. */
export async function parseRequest(input: string | URL | Request, init: RequestInit = {}): Promise<IncomingRequest> {
  const request = typeof input === "object" && "url" in input ? input : undefined;
  const body = init.body ?? (request ? await request.arrayBuffer() : null);
  return {
    method: (init.method ?? request?.method ?? "GET").toUpperCase(),
    url: new URL(request?.url ?? String(input)).href,
    headers: new Headers(init.headers ?? request?.headers),
    body:
      typeof body === "string"
        ? new TextEncoder().encode(body)
        : new Uint8Array(await new Response(body).arrayBuffer()),
    signal: init.signal ?? request?.signal,
  };
}

/** Creates the `Response`. @param isStalled if true, the body never ends, and fails when the caller aborts */
export function toResponse(
  request: IncomingRequest,
  { status, headers = {}, body }: ServiceResponse,
  isStalled = false,
): Response {
  const isBodyless = request.method === "HEAD" || status === 204 || status === 304;
  const stream = isStalled
    ? new ReadableStream({ start: (controller) => onAbort(request, (reason) => controller.error(reason)) })
    : undefined;
  return new Response(isBodyless ? null : (stream ?? body ?? ""), { status, headers });
}

/** Calls `callback` when the caller aborts. Without a signal, it is never called. */
export const onAbort = ({ signal }: IncomingRequest, callback: (reason: unknown) => void): void =>
  signal?.addEventListener("abort", () => callback(signal.reason), { once: true });
