/**
 * `@offers/webhook-kit/testing`: tests your receiver, and your own deduplication store.
 *
 * @module testing
 */
export { deduplicationConformance } from "./deduplication/conformance.ts";
export type { Deduplication } from "./deduplication/deduplication.ts";
export type { ContactSuggestion } from "./endpoints/events.ts";
export type { WebhookResponse } from "./http/response.ts";
export type { SignatureScheme } from "./signature/signature-scheme.ts";
export { signHeaders } from "./test-receiver/sign-headers.ts";
export { testReceiver } from "./test-receiver/test-receiver.ts";
export type { TestedReceiver } from "./test-receiver/tested-receiver.ts";
