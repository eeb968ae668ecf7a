import { type IncomingRequest, onAbort, type ServiceResponse, toResponse } from "./incoming-request.ts";
import type { TestFailure } from "./test-service.ts";

/** Lets a request fail as it was told to, or go on to be answered. */
export async function failOrRespond(
  failure: TestFailure | undefined,
  request: IncomingRequest,
  answer: () => ServiceResponse,
): Promise<Response> {
  if (request.signal?.aborted) throw request.signal.reason;
  if (typeof failure === "object") return toResponse(request, failureResponse(failure));
  switch (failure) {
    case "connection-refused":
      throw lost("ECONNREFUSED", "connect");
    case "connection-reset":
      throw lost("ECONNRESET", "write");
    case "response-lost":
      answer();
      throw lost("ECONNRESET", "read");
    case "hang":
      return new Promise<never>((_resolve, reject) => onAbort(request, reject));
    default:
      return toResponse(request, answer(), failure === "hang-in-body");
  }
}

function failureResponse({ status, retryAfterSeconds, headers, body }: Exclude<TestFailure, string>): ServiceResponse {
  const problem = { type: "about:blank", title: "The test told this request to fail", status };
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

/** As Node's fetch tells it. */
const lost = (code: string, syscall: string): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
