// Tests the packages and the platform with third-party software:
//   npm run check -- interoperability [specmatic] [standard-webhooks]
import { runSpecmaticSuite } from "./specmatic.ts";
import { runStandardWebhooksSuite } from "./standard-webhooks.ts";
import type { SuiteReport } from "./suite-report.ts";

const suites: Readonly<Record<string, () => Promise<SuiteReport>>> = {
  specmatic: runSpecmaticSuite,
  "standard-webhooks": runStandardWebhooksSuite,
};

const requestedNames = process.argv.slice(2);
for (const name of requestedNames.length > 0 ? requestedNames : Object.keys(suites)) {
  const run = suites[name];
  if (run === undefined) throw new Error(`There is no suite ${name}, only ${Object.keys(suites).join(", ")}.`);
  try {
    const { suite, tried, differences } = await run();
    console.log(`${name}: ${suite}: ${tried}; unexplained differences: ${differences.length}`);
    for (const line of differences) console.log(`  ${line}`);
    if (differences.length > 0) process.exitCode = 1;
  } catch (error) {
    // A program may not be installed. Run the remaining suites anyway, so that one run reports on all of them.
    console.error(`${name}: failed`, error);
    process.exitCode = 1;
  }
}
