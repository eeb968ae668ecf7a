/**
 * Tests that need a process of their own: they change global state (clock, timers, fetch, time zone, environment, console) or
 * depend on it being unchanged. All other files share processes, and the modules that these have loaded.
 */
export const isolatedFiles = [
  "examples/integrator/test/webhooks.test.ts",
  "examples/platform/test/api/{edges,person-limits,rate-limit}.test.ts",
  "examples/platform/test/contract/contract-limits.test.ts",
  "packages/client/test/contract/msw.test.ts",
  "packages/client/test/{node/node-suite,integrations/opentelemetry,testing/testing,testing/testing-failures}.test.ts",
  "packages/webhook-kit/test/failures/{console,tracing}.test.ts",
  "packages/webhook-kit/test/telemetry/webhook-tracer.test.ts",
  "examples/platform/test/tracing/tracing.test.ts",
  "packages/webhook-kit/test/deduplication/{conformance-mistakes,redis-outage}.test.ts",
  "packages/webhook-kit/test/recipes/**/*.test.ts",
  // @hono/node-server replaces Response, and this test needs Node's own.
  "packages/webhook-kit/test/test-receiver/test-receiver.test.ts",
];
