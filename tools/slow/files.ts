/** Tests that take minutes, or measure: they have a command of their own, `npm run slow`, and are not part of the gate. */
export const slowFiles = [
  "examples/platform/test/fairness.test.ts",
  "examples/platform/test/processes.test.ts",
  "examples/platform/test/queue-leases.test.ts",
  "examples/platform/test/rotation.test.ts",
  "examples/platform/test/slow-loris.test.ts",
  "examples/platform/test/virtual-clock-stories.test.ts",
  "tools/soak/soak.test.ts",
  "tools/spec-driven/spec-driven.test.ts",
  "tools/torture/torture.test.ts",
];

/** Part of the gate, which looks at what happens; `npm run slow` looks at how long it takes as well. */
export const measuredFiles = ["examples/platform/test/browser/story.test.ts"];
