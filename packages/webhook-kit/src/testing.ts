/**
 * `@offers/webhook-kit/testing`: for tests of your own.
 *
 * @module testing
 */
export { signRequest } from "./sign-request.ts";
