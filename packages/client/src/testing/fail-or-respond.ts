import { type IncomingRequest, onAbort, type ServiceResponse, toResponse } from "./incoming-request.ts";
import type { TestFailure } from "./test-service.ts";

/** Responds, or simulates the failure if there is one. Rejects if the request has already been aborted. */
export async function failOrRespond(
  failure: TestFailure | undefined,
  request: IncomingRequest,
  respond: () => ServiceResponse,
): Promise<Response> {
  if (request.signal?.aborted) throw request.signal.reason;
  if (typeof failure === "object") return toResponse(request, createFailureResponse(failure));
  switch (failure) {
    case "connection-refused":
      throw createNetworkError("ECONNREFUSED", "connect");
    case "connection-reset":
      throw createNetworkError("ECONNRESET", "write");
    case "response-lost":
      respond();
      throw createNetworkError("ECONNRESET", "read");
    case "hang":
      return new Promise<never>((_resolve, reject) => onAbort(request, reject));
    default:
      return toResponse(request, respond(), failure === "hang-in-body");
  }
}

function createFailureResponse({
  status,
  retryAfterSeconds,
  headers,
  body,
}: Exclude<TestFailure, string>): ServiceResponse {
  const problem = { type: "about:blank", title: "Failure injected by the test", status };
  return {
    status,
    headers: {
      ...(body === undefined && { "Content-Type": "application/problem+json" }),
      ...(retryAfterSeconds !== undefined && { "Retry-After": `${retryAfterSeconds}` }),
      ...headers,
    },
    body: body ?? JSON.stringify(problem),
  };
}

/** Creates an error like those that Node's `fetch` throws. */
const createNetworkError = (code: string, syscall: string): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
