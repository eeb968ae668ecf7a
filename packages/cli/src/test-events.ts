/**
 * Test events for programs that send them, such as a portal. Builds the requests that `offers trigger` sends, and explains the responses.
 *
 * @module test-events
 */

export type { Scheme } from "./signature/sign-request.ts";
export { events as testEvents, type TriggerEvent, uniqueFields } from "./trigger/events.ts";
export {
  distinctFindings,
  findSigningMistake,
  judgeTestEvent,
  type TestOutcome,
  type TestVerdict,
} from "./trigger/judge.ts";
export { toShellCommand } from "./trigger/shell-command.ts";
export {
  type TestHeader,
  type TestRequest,
  type TestWay,
  testWays,
  waysFor,
  writeTestRequests,
} from "./trigger/ways.ts";
export { fillEvent, type Webhook } from "./trigger/write-webhook.ts";
export { type ExplainedFinding, type Explanation, explain, type Shows } from "./vectors/vectors.ts";
