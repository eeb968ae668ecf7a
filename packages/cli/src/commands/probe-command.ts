import { Command } from "commander";
import type { Scheme } from "../corpus/scheme.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { collectList, schemeOption, secretFileOption, timeoutOption } from "./options.ts";

interface ProbeFlags {
  allowEvents?: true;
  only?: string[];
  skip?: string[];
  list?: true;
  scheme: Scheme;
  secretFile?: string;
  counter?: string;
  strict?: true;
  notes?: true;
  json?: true;
  timeout: number;
}

/** `offers probe`: everything it needs is loaded when it runs. */
export const probeCommand = (): Command =>
  new Command("probe")
    .summary("send hostile and unusual requests to a receiver, and report what it gets wrong")
    .description(
      "Sends hostile and unusual webhooks to your running receiver, and reports what it gets wrong: what was sent, what came back, why it matters and what to change.\n\nNothing is sent that could create work, unless you add --allow-events.",
    )
    .argument("[url]", "base address of the receiver, as on the company profile")
    .option("--allow-events", "also send signed events; use a receiver that may create work from them")
    .option("--only <names>", "send these groups or cases only, separated by commas", collectList)
    .option("--skip <names>", "leave out these groups or cases", collectList)
    .option("--list", "print the groups and cases, and send nothing")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption(10))
    .option("--counter <url>", "address that responds with how often your handlers have run")
    .option("--notes", "also print differences that need no change")
    .option("--strict", "count every difference from the corpus as a finding")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET           the secret on your company profile
  WEBHOOK_SECRET_PREVIOUS  the secret before a rotation; without it, its cases
                           are left out

Exit code: 0 without findings, 1 with findings, 2 if the receiver cannot be
judged.

Examples:
  $ WEBHOOK_SECRET=… offers probe http://localhost:3001/offers
  $ offers probe http://localhost:3001/offers --secret-file .webhook-secret
  $ offers probe http://localhost:3001/offers --only freshness,digests/empty-key
  $ offers probe http://localhost:3001/offers --allow-events --json > out.json`,
    )
    .action(async (url: string | undefined, flags: ProbeFlags) => {
      const { runProbe } = await import("../report/run-probe.ts");
      const { listCases } = await import("../report/list-cases.ts");
      if (flags.list) return listCases(flags.scheme);
      if (url === undefined)
        throw new UsageError("Give the base address of your receiver, such as http://localhost:3001/offers.");
      process.exitCode = await runProbe(url, { only: [], skip: [], ...flags, timeoutMs: flags.timeout });
    });
