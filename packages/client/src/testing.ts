/**
 * `@offers/client/testing`: a service in memory, for your tests.
 *
 * @module testing
 */
export { createTestService } from "./testing/create-test-service.ts";
export type { TestService } from "./testing/test-service.ts";
