import { Command } from "commander";
import type { Scheme } from "../corpus/scheme.ts";
import { events } from "../trigger/events.ts";
import { collect, schemeOption, secretFileOption, timeoutOption } from "./options.ts";

interface TriggerFlags {
  to: string;
  set?: string[];
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

const eventLines = events.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`).join("\n");

/** `offers trigger`: everything it needs is loaded when it runs. */
export const triggerCommand = (): Command =>
  new Command("trigger")
    .summary("sign one webhook, send it and print the exchange")
    .description("Signs one webhook, sends it to a receiver, and prints the request and the response.")
    .argument("<event>", "the webhook to send; see below")
    .requiredOption("--to <url>", "base address of the receiver")
    .option("--set <field=value>", "set a field; may be given several times", collect)
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption(15))
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Events:
${eventLines}

Environment:
  WEBHOOK_SECRET  the secret on your company profile

Exit code: 0 if the receiver acknowledged with 200, 1 if not, 2 if it cannot be
reached.

Examples:
  $ offers trigger test-auth --to http://localhost:3001/offers
  $ offers trigger worker-offer-response --to http://localhost:3001/offers \\
      --set offerId=offer_7 --set response=rejected
  $ offers trigger contact-suggestions --to http://localhost:3001/offers \\
      --set userEmailAddresses=hana@harbour.example,omar@harbour.example`,
    )
    .action(async (event: string, { timeout, ...flags }: TriggerFlags) => {
      const { trigger } = await import("../trigger/trigger.ts");
      process.exitCode = await trigger(event, { set: [], ...flags, timeoutMs: timeout });
    });
