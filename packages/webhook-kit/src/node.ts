/**
 * `@offers/webhook-kit/node`: the receiver for `node:http` and what is built like it.
 *
 * @module node
 */
export {};
