/**
 * Tests that need a process of their own: they change what a process has one of (its clock and timers, its fetch, its time zone,
 * its environment, its console), or go by what no other file has changed. All others share the processes that run them, and what
 * these have loaded and compiled.
 */
export const isolatedFiles = [
  "examples/integrator/test/webhooks.test.ts",
  "examples/platform/test/api/{edges,person-limits,rate-limit}.test.ts",
  "examples/platform/test/contract/contract-limits.test.ts",
  "packages/client/test/contract/msw.test.ts",
  "packages/client/test/{node-suite,opentelemetry,testing,testing-failures}.test.ts",
  "packages/webhook-kit/test/failures/{console,tracing}.test.ts",
  "packages/webhook-kit/test/deduplication/{conformance-mistakes,redis-outage}.test.ts",
  "packages/webhook-kit/test/recipes/*.test.ts",
  // @hono/node-server replaces Response, and this test needs Node's own.
  "packages/webhook-kit/test/test-receiver/test-receiver.test.ts",
  "{bench,tools}/**/*.test.ts",
];
