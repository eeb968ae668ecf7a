/**
 * `@offers/webhook-kit/fetch`: the receiver for everything that takes a Request and answers a Response.
 *
 * @module fetch
 */
export {};
