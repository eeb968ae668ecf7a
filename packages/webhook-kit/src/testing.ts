/**
 * `@offers/webhook-kit/testing`: for tests of your own.
 *
 * @module testing
 */
export { deduplicationConformance } from "./deduplication/conformance.ts";
export { signHeaders } from "./test-receiver/sign-headers.ts";
export { testReceiver } from "./test-receiver/test-receiver.ts";
export type { TestedReceiver } from "./test-receiver/tested-receiver.ts";
