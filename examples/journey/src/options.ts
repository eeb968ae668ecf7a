import { parseArgs } from "node:util";

/** The options after `npm start --`. */
export interface JourneyOptions {
  once: boolean;
  killBetweenSteps: boolean;
  dialect: "reference" | "live";
  /** The path to the launcher of an installed `@offers/sandbox`; undefined to run the platform's sources. */
  sandbox: string | undefined;
  trace: boolean;
}

const usage = `npm start -- [options]
  --once                  exit after the walkthrough; exit code 0 only if every step passed
  --kill-between-steps    kill the platform with SIGKILL before every step and restart it
  --dialect live          let the platform respond the way the live service is documented to (D-51)
  --sandbox launcher.cjs  run an installed @offers/sandbox in place of the platform's sources
  --trace                 write the traces to journey-traces.json, and print one as a tree`;

/** Parses the options. @throws {Error} if an option is invalid; its message also lists the options */
export function readOptions(args: readonly string[]): JourneyOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: "boolean", default: false },
        "kill-between-steps": { type: "boolean", default: false },
        dialect: { type: "string", default: "reference" },
        sandbox: { type: "string" },
        trace: { type: "boolean", default: false },
      },
    });
    const { once, dialect, sandbox, trace } = values;
    if (dialect !== "reference" && dialect !== "live") throw new Error("--dialect must be reference or live");
    return { once, killBetweenSteps: values["kill-between-steps"], dialect, sandbox, trace };
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n\n${usage}`, { cause });
  }
}
