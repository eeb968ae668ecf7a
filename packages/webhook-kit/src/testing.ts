/**
 * `@offers/webhook-kit/testing`: for tests of your own.
 *
 * @module testing
 */
export { receiptsConformance } from "./deduplication/conformance.ts";
export { signRequest } from "./test-receiver/sign-headers.ts";
export { testReceiver } from "./test-receiver/test-receiver.ts";
export type { TestedReceiver } from "./test-receiver/tested-receiver.ts";
