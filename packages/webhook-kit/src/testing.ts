/**
 * `@offers/webhook-kit/testing`: for tests of your own.
 *
 * @module testing
 */
export { receiptsConformance } from "./receipts-conformance.ts";
export { signRequest } from "./sign-request.ts";
export type { TestedReceiver } from "./test-receiver/tested-receiver.ts";
export { testReceiver } from "./test-receiver.ts";
