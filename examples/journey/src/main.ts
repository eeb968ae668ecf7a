// Starts the platform, an integrator and a hirer as processes on loopback, and runs every operation of the contract step by step. Then
// keeps the processes running, so that you can try them by hand. The options are in options.ts.
import { keepRunning } from "./keep-running.ts";
import { type JourneyOptions, readOptions } from "./options.ts";
import { Processes } from "./processes.ts";
import { scenarios } from "./scenarios/scenarios.ts";
import { JourneyTraces } from "./tracing/journey-traces.ts";

const options = readOptionsOrExit();
const traces = options.trace ? await JourneyTraces.start() : undefined;
const processes = new Processes({ ...options, traces });
const { reporter } = processes;

let hasPassed = false;
let stopping: Promise<void> | undefined;
const stopAndExit = () => {
  stopping ??= processes
    .stop()
    .then(() => traces?.close())
    .finally(() => process.exit(hasPassed ? 0 : 1));
};
process.on("SIGINT", stopAndExit);
process.on("SIGTERM", stopAndExit);

try {
  const context = await processes.start();
  for (const scenario of scenarios) await scenario(context);
  hasPassed = true;
} catch (error) {
  if (!stopping) console.error(error, `\n${processes.formatLastLines()}`);
}

if (!stopping) await traces?.report();
const keepsRunning = hasPassed && !options.once;
if (keepsRunning) keepRunning(processes);
console.log(`\n${reporter.formatSummary()}`);
if (!keepsRunning) stopAndExit();

function readOptionsOrExit(): JourneyOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
