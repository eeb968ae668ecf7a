/**
 * Explains what the response to a test vector shows about a receiver, for programs that send the vectors themselves.
 *
 * @module explain
 */

import { classifyStatus } from "./probe/explain.ts";
import { type ExplainedFinding, type Explanation, explain, readVectors, toSteps } from "./vectors/vectors.ts";

export type { ExplainedFinding, Explanation };

/**
 * Explains a response the way `offers probe` does.
 *
 * @param vectorId as `offers probe --list` prints it, such as `freshness/hour-old`
 * @param status the response's status; `"closed"` if the connection was closed without one
 * @param step the index of the request in the vector, from 0
 * @returns the finding; undefined if the response does not show one
 * @throws {RangeError} if there is no such vector or step
 *
 * @example
 * ```ts
 * import { explainResponse } from "@offers/cli/explain";
 *
 * const finding = explainResponse("freshness/hour-old", 200);
 * console.log(finding?.code, finding?.change);
 * // old_timestamp_accepted Reject a timestamp that is more than 5 minutes in the past.
 * ```
 */
export function explainResponse(vectorId: string, status: number | "closed", step = 0): ExplainedFinding | undefined {
  const { groups, standardWebhooks } = readVectors();
  const vector = [...groups, ...standardWebhooks].flatMap(({ cases }) => cases).find(({ id }) => id === vectorId);
  const request = vector && toSteps(vector)[step];
  if (request === undefined)
    throw new RangeError(`The test vector ${vectorId} does not exist, or has no request ${step}.`);
  const allowed = [request.response].flat().flatMap((response) => response.status);
  if (allowed.includes(status)) return undefined;
  const code = classifyStatus(request, allowed, status);
  return code === undefined ? undefined : explain(code);
}
