import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with the plain line `N passed, N failed`, which any tool can read. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file that does not load has no tests to fail.
      count.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    // After the default reporter's own summary.
    process.once("exit", () => console.log(`${count.passed} passed, ${count.failed} failed${skipped}`));
  }
}
