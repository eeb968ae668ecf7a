/**
 * `@offers/client/testing`: an in-memory fake of the service, for your tests.
 *
 * @module testing
 */
export { createTestService } from "./testing/create-test-service.ts";
export type { TestAttempt, TestDelivery } from "./testing/delivery/test-delivery.ts";
export type { SuggestedContact } from "./testing/delivery/test-webhooks.ts";
export type { WebhookOutcome } from "./testing/delivery/webhook-outcome.ts";
export type { TestNotification, TestRequest, TestService, TestServiceOptions } from "./testing/test-service.ts";
