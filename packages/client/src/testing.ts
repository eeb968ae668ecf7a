/**
 * `@offers/client/testing`: a service in memory, for your tests.
 *
 * @module testing
 */
export {};
