/**
 * `@offers/webhook-kit/testing`: for tests of your own.
 *
 * @module testing
 */
export { signRequest } from "./sign-request.ts";
export type { TestedReceiver } from "./test-receiver/tested-receiver.ts";
export { testReceiver } from "./test-receiver.ts";
