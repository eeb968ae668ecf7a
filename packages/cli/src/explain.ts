/**
 * Explains what the response to a test vector reveals about a receiver. For programs that send the vectors themselves.
 *
 * @module explain
 */

import { classifyStatus } from "./probe/explain.ts";
import { type ExplainedFinding, type Explanation, explain, readVectors, toSteps } from "./vectors/vectors.ts";

export type { ExplainedFinding, Explanation };

/**
 * Explains a response the way `offers probe` does.
 *
 * @param vectorId a vector id from `offers probe --list`, such as `freshness/hour-old`
 * @param status the response status; `"closed"` if the connection was closed without a response
 * @param step the index of the request in the vector, from 0
 * @returns the finding; undefined if the response reveals none
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
  const vectorStep = vector && toSteps(vector)[step];
  if (vectorStep === undefined)
    throw new RangeError(`The test vector ${vectorId} does not exist, or has no request ${step}.`);
  const allowedStatuses = [vectorStep.response].flat().flatMap((response) => response.status);
  if (allowedStatuses.includes(status)) return undefined;
  const code = classifyStatus(vectorStep, allowedStatuses, status);
  return code === undefined ? undefined : explain(code);
}
