// Starts the platform, an integrator and a hirer as processes on loopback, runs every operation of the contract step by
// step, and keeps running, to be tried by hand.
//   --once                 exits after the walkthrough; exit code 0 only if every step passed
//   --kill-between-steps   kills the platform with SIGKILL before every step and restarts it
//   --dialect live         makes the platform respond the way the live service is documented to (D-51)
//   --sandbox launcher.cjs runs an installed @offers/sandbox in place of the platform's sources
import { parseArgs } from "node:util";
import { keepRunning } from "./keep-running.ts";
import { Processes } from "./processes.ts";
import { companyProfile } from "./scenarios/company-profile.ts";
import { contacts } from "./scenarios/contacts.ts";
import { failures } from "./scenarios/failures.ts";
import { offerIsFilled } from "./scenarios/offer-is-filled.ts";
import { offerIsWithdrawn } from "./scenarios/offer-is-withdrawn.ts";
import { wrongRequests } from "./scenarios/wrong-requests.ts";

const { values: options } = parseArgs({
  options: {
    once: { type: "boolean", default: false },
    "kill-between-steps": { type: "boolean", default: false },
    dialect: { type: "string", default: "reference" },
    sandbox: { type: "string" },
  },
});
const { dialect, sandbox } = options;
if (dialect !== "reference" && dialect !== "live") throw new Error("--dialect is reference or live");

const processes = new Processes({ dialect, sandbox, killBetweenSteps: options["kill-between-steps"] });
const { reporter } = processes;

let passed = false;
let stopping: Promise<void> | undefined;
const stop = () => {
  stopping ??= processes.stop().finally(() => process.exit(passed ? 0 : 1));
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

try {
  const context = await processes.start();
  for (const scenario of [companyProfile, offerIsFilled, offerIsWithdrawn, contacts, failures, wrongRequests])
    await scenario(context);
  passed = true;
} catch (error) {
  if (!stopping) console.error(error, `\n${processes.lastLines()}`);
}

const keepsRunning = passed && !options.once;
if (keepsRunning) keepRunning(processes);
console.log(`\n${reporter.closingLine()}`);
if (!keepsRunning) stop();
