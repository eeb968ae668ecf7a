import { type Answer, type Arrival, onAbort, toResponse } from "./exchange.ts";
import type { TestFailure } from "./test-service.ts";

/** Lets a request fail as it was told to, or go on to be answered. */
export async function failOrAnswer(
  failure: TestFailure | undefined,
  arrival: Arrival,
  answer: () => Answer,
): Promise<Response> {
  if (arrival.signal?.aborted) throw arrival.signal.reason;
  if (typeof failure === "object") return toResponse(arrival, failureAnswer(failure));
  switch (failure) {
    case "refuse":
      throw lost("ECONNREFUSED", "connect");
    case "drop":
      throw lost("ECONNRESET", "write");
    case "lose answer":
      answer();
      throw lost("ECONNRESET", "read");
    case "stall":
      return new Promise<never>((_resolve, reject) => onAbort(arrival, reject));
    default:
      return toResponse(arrival, answer(), failure === "stall in body");
  }
}

function failureAnswer({ status, retryAfterSeconds, headers, body }: Exclude<TestFailure, string>): Answer {
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
