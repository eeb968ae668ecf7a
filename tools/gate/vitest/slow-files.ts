/** Tests that take minutes, or measure: they have a command of their own, `npm run check -- slow`, and are not part of the gate. */
export const slowFiles = [
  "examples/platform/test/delivery/fairness.test.ts",
  "examples/platform/test/delivery/processes.test.ts",
  "examples/platform/test/delivery/rotation.test.ts",
  "examples/platform/test/outbound/slow-loris.test.ts",
  "examples/platform/test/browser/zone-stories.test.ts",
  "examples/platform/test/offer-pages/large-lists.test.ts",
  "examples/platform/test/push/push-kills.test.ts",
  "examples/platform/test/endpoint-health/virtual-clock-scenarios.test.ts",
  "examples/platform/test/outbox/lanes.test.ts",
  "examples/platform/test/outbox/lease-expiry.test.ts",
  "examples/platform/test/outbox/shared-leases.test.ts",
  "examples/platform/test/outbox/unfinished-claims.test.ts",
  "packages/cli/test/command/start-time.test.ts",
  "packages/cli/test/listen/forward-many.test.ts",
  "packages/cli/test/probe/languages.test.ts",
  "packages/cli/test/probe/planted-all.test.ts",
  "packages/webhook-kit/test/corpus/probe.test.ts",
  "packages/webhook-kit/test/documents/receivers.test.ts",
  "packages/webhook-kit/test/inbox-kills/kills.test.ts",
  "tools/release/reproducible.test.ts",
  "tools/release/sabotage.test.ts",
  "tools/release/sandbox/sandbox.test.ts",
  "tools/reliability/soak/soak.test.ts",
  "tools/gate/spec-driven.test.ts",
  "tools/gate/start.test.ts",
  "tools/reliability/crash-test/crash-test.test.ts",
  "tools/reliability/outages/many-offers.test.ts",
  "tools/reliability/outages/outages.test.ts",
];

/** Part of the gate, which looks at what happens; `npm run check -- slow` looks at how long it takes as well. */
export const measuredFiles = [
  "examples/platform/test/api/event-feed.test.ts",
  "examples/platform/test/browser/story.test.ts",
  "examples/platform/test/closed-loop/closed-loop.test.ts",
  "examples/worker/test/kills.test.ts",
];
