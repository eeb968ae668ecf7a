import { draw } from "./draw.ts";

/**
 * What may become of one request: its share in a thousand, and how a call whose last attempt met it may end, as data or with
 * one of these codes.
 */
const kinds = {
  well: [590, "data"],
  "well, in small pieces": [10, "data"],
  "reset before an answer": [35, "connection_lost"],
  "reset in the body": [20, "connection_lost"],
  "end before the body's": [20, "connection_lost"],
  "no HTTP": [15, "connection_lost"],
  "stall before an answer": [10, "timeout"],
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
  "redirect elsewhere": [20, "unexpected_redirect"],
} as const;

export type Weather = keyof typeof kinds;

const whole = Object.values(kinds).reduce((sum, [share]) => sum + share, 0);

/** What becomes of a call's attempt: the same for the same seed, so that a run can be had again. */
export function weatherOf(seed: number, call: number, attempt: number): Weather {
  let rest = draw(seed, call, attempt) * whole;
  for (const [name, [share]] of Object.entries(kinds)) {
    rest -= share;
    if (rest < 0) return name as Weather;
  }
  return "well";
}

/** Any body acknowledges a completion or a withdrawal, but for markup. */
const acknowledged: readonly Weather[] = ["200, broken JSON", "200, empty", "204"];

/** How a call may end whose last attempt met this weather. */
export const endsOf = (weather: Weather, operation: string): string =>
  (operation === "complete" || operation === "withdraw") && acknowledged.includes(weather)
    ? "data"
    : // A creation that is answered nothing has no id.
      operation === "create" && weather === "204"
      ? "invalid_response"
      : kinds[weather][1];
