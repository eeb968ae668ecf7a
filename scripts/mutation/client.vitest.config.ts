import { defineConfig } from "vitest/config";

/** The tests that must kill the mutants of the client: the tests next to the code, and the tests of its behaviour over loopback. */
export default defineConfig({
  test: {
    include: [
      "packages/client/src/*/*.test.ts",
      "packages/client/test/{calls/{call,deadlines,operations,options,response-shape,response-size,retries,watch},errors/{errors,foreign-errors,messages,mistakes,redaction,refusals}}.test.ts",
    ],
    pool: "forks",
    // Unpacking 40 MiB takes more than the usual 5 s on a busy machine.
    testTimeout: 30_000,
  },
});
