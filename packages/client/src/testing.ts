/**
 * `@offers/client/testing`: an in-memory fake of the service, for your tests.
 *
 * @module testing
 */
export { createTestService } from "./testing/create-test-service.ts";
export type { TestService } from "./testing/test-service.ts";
