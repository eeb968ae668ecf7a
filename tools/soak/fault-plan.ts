import { seededRandom } from "./seeded-random.ts";

/**
 * The faults of one request: the share in a thousand, and how a call whose last attempt met it may end, as data or with
 * one of these codes.
 */
const kinds = {
  healthy: [590, "data"],
  "healthy, in small pieces": [10, "data"],
  "reset before the response": [35, "connection_lost"],
  "reset in the body": [20, "connection_lost"],
  "end before the body's": [20, "connection_lost"],
  "no HTTP": [15, "connection_lost"],
  "stall before the response": [10, "timeout"],
  "stall in the body": [10, "timeout"],
  "429, again at once": [40, "rate_limited"],
  "429, in an hour": [10, "rate_limited"],
  "408": [10, "bad_request"],
  "500, a web page": [25, "server_error"],
  "502, empty": [25, "server_error"],
  "503, problem details": [30, "server_error"],
  "400": [15, "bad_request"],
  "401": [10, "unauthenticated"],
  "403": [10, "forbidden"],
  "404": [15, "not_found"],
  "409": [15, "conflict"],
  "200, a web page": [20, "invalid_response"],
  "200, broken JSON": [20, "invalid_response"],
  "200, empty": [15, "invalid_response"],
  "204": [10, "not_found"],
  "redirect to another origin": [20, "unexpected_redirect"],
} as const;

export type Fault = keyof typeof kinds;

const whole = Object.values(kinds).reduce((sum, [share]) => sum + share, 0);

/** The fault of a call's attempt: the same for the same seed, so that a run can be repeated. */
export function faultFor(seed: number, call: number, attempt: number): Fault {
  let rest = seededRandom(seed, call, attempt) * whole;
  for (const [name, [share]] of Object.entries(kinds)) {
    rest -= share;
    if (rest < 0) return name as Fault;
  }
  return "healthy";
}

/** Any body acknowledges a completion or a withdrawal, but for markup. */
const acknowledged: readonly Fault[] = ["200, broken JSON", "200, empty", "204"];

/** How a call may end whose last attempt met this fault. */
export const endsOf = (fault: Fault, operation: string): string =>
  (operation === "complete" || operation === "withdraw") && acknowledged.includes(fault)
    ? "data"
    : // A creation with an empty response has no id.
      operation === "create" && fault === "204"
      ? "invalid_response"
      : kinds[fault][1];
