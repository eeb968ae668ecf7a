// Suites that others wrote, run against the packages and the platform:
//   npm run check -- outside [NAME…]
import { contract } from "./contract.ts";
import { faketime } from "./faketime.ts";
import { formats } from "./formats.ts";
import { fuzz } from "./fuzz.ts";
import { prism } from "./prism.ts";
import { proxies } from "./proxies.ts";
import { slowhttptest } from "./slowhttptest.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import type { SuiteReport } from "./suite.ts";

const suites: Readonly<Record<string, () => Promise<SuiteReport>>> = {
  contract,
  faketime,
  formats,
  fuzz,
  prism,
  proxies,
  slowhttptest,
  "standard-webhooks": standardWebhooks,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(", ")}; there are: ${Object.keys(suites).join(", ")}.`);
  process.exit(1);
}
for (const [name, run] of Object.entries(suites)) {
  if (named.length > 0 && !named.includes(name)) continue;
  try {
    const { suite, tried, found } = await run();
    console.log(`${name}: ${suite}: ${tried}; ${found.length} found`);
    for (const line of found) console.log(`  ${line}`);
    if (found.length > 0) process.exitCode = 1;
  } catch (error) {
    // Such as a program that is missing: the other suites run all the same, so that one run names all of these.
    console.error(`${name}: failed`, error);
    process.exitCode = 1;
  }
}
