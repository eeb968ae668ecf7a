import { Command, InvalidArgumentError, Option } from "commander";
import type { CatchUpOptions } from "./catch-up/catch-up.ts";
import type { ListenOptions } from "./listen/listen.ts";
import type { ProbeFlags } from "./probe/run-probe.ts";
import type { ReplayOptions } from "./replay/replay.ts";
import type { Scheme } from "./signature/sign-request.ts";
import { events } from "./trigger/events.ts";
import type { TriggerOptions } from "./trigger/trigger.ts";
import { testWays } from "./trigger/ways.ts";

const schemes: Readonly<Record<string, Scheme>> = {
  "timestamp-digest": "timestampDigest",
  "standard-webhooks": "standardWebhooks",
};

const schemeOption = (): Option =>
  new Option("--scheme <scheme>", "how webhooks are signed: timestamp-digest or standard-webhooks")
    .default("timestampDigest", "timestamp-digest")
    .argParser((text: string) => {
      const scheme = schemes[text];
      if (!scheme) throw new InvalidArgumentError(`Choose ${Object.keys(schemes).join(" or ")}.`);
      return scheme;
    });

const secretFileOption = (): Option =>
  new Option("--secret-file <file>", "file with the secret; without it, WEBHOOK_SECRET or a prompt");

const apiKeyFileOption = (): Option =>
  new Option("--api-key-file <file>", "file with the organisation's API key; without it, OFFERS_API_KEY");

/** Creates the `--timeout` option. Its value is in milliseconds, or undefined if it is not passed and has no default. */
const timeoutOption = (description: string, defaultSeconds?: number): Option => {
  const option = new Option("--timeout <seconds>", description).argParser((text: string) => {
    const parsed = Number(text);
    if (!(parsed > 0 && parsed <= 300)) throw new InvalidArgumentError("Use a number of seconds, at most 300.");
    return parsed * 1000;
  });
  return defaultSeconds === undefined ? option : option.default(defaultSeconds * 1000, String(defaultSeconds));
};

/**
 * Ends the command with an error if a required option is missing. Call this in the command action, because Commander's own check for
 * required options runs before its check for unknown options, and would report a misspelt option only as missing.
 */
function requireOption(command: Command, flags: string, value: string | undefined): asserts value is string {
  if (value === undefined) command.error(`error: required option '${flags}' not specified`);
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError("Use a port from 0 to 65535.");
  return Number(text);
}

function parseLineNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Use a line number, counted from 1.");
  return Number(text);
}

/** Collects the values of an option that can be repeated. */
const collect = (value: string, previousValues: string[] = []): string[] => [...previousValues, value];

/** Collects the items from an option that accepts comma-separated lists and can be repeated. */
const collectList = (list: string, previousValues: string[] = []): string[] => [
  ...previousValues,
  ...list.split(",").filter((item) => item !== ""),
];

/** Defines `offers probe`. Each command loads its code only when it runs. */
export const probeCommand = (): Command =>
  new Command("probe")
    .summary("send hostile and unusual requests to a receiver, and report what it gets wrong")
    .description(
      "Sends hostile and unusual webhooks to your running receiver, and reports what it gets wrong: what was sent, what came back, why it matters and what to change.\n\nNothing is sent that could create work, unless you add --allow-events.",
    )
    .argument("[url]", "the receiver's base URL, as it appears in the company profile")
    .option("--allow-events", "also send signed events; your receiver may create work from them")
    .option("--only <names>", "send only these groups or cases, separated by commas", collectList)
    .option("--skip <names>", "skip these groups or cases", collectList)
    .option("--list", "print the groups and cases without sending anything")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption("time limit for a response (default: 10, or 16 for events)"))
    .option("--counter <url>", "URL that returns how many times your handlers have run")
    .option("--notes", "also print notes, which are harmless differences")
    .option("--strict", "count notes as findings")
    .option("--exact", "count every difference from the test vectors, for authors of webhook libraries")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET           the secret in your company profile
  WEBHOOK_SECRET_PREVIOUS  the secret before a rotation; without it, the cases
                           that are signed with it are skipped

Exit code: 0 without findings, 1 with findings, 2 if the receiver cannot be
probed.

Examples:
  $ WEBHOOK_SECRET=… offers probe http://localhost:3001/offers
  $ offers probe http://localhost:3001/offers --secret-file .webhook-secret
  $ offers probe http://localhost:3001/offers --only freshness,digests/empty-key
  $ offers probe http://localhost:3001/offers --allow-events --json > out.json`,
    )
    .action(async (url: string | undefined, flags: ProbeFlags) => {
      const { runProbe } = await import("./probe/run-probe.ts");
      process.exitCode = await runProbe(url, flags);
    });

/** Defines `offers listen`. */
export const listenCommand = (): Command =>
  new Command("listen")
    .summary("receive webhooks, verify them and print them")
    .description(
      "Receives webhooks, verifies them and prints them, with the reason if one is rejected.\n\nResponds like a receiver: with 200 to a valid request, otherwise with 401. With --forward-to, forwards every request byte for byte and returns your receiver's response.\n\nWith --from and an API key, also reads the reference platform's feed, so that no event is missed: first forwards the events after the saved cursor, then the webhooks that arrive, each event once and in order. An event that your receiver does not acknowledge is forwarded again until it is acknowledged. The feed is read every 5 seconds, so you do not need a tunnel.",
    )
    .option("--port <port>", "port to listen on; 0 picks a free one", parsePort, 3001)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--forward-to <url>", "base URL of your receiver")
    .option("--from <url>", "base URL of the platform, to read its feed")
    .option("--after <cursor>", "start after this cursor instead of the saved one")
    .option("--cursor-file <file>", "file in which the cursor is saved", ".offers-cursor")
    .option("--skip <id>", "skip the event with this id; can be repeated", collect)
    .addOption(apiKeyFileOption())
    .option("--record <file>", "append each verified event to this file, for offers replay")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption("time limit for a response", 30))
    .option("--json", "print one line of JSON per request")
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET  the secret in your company profile
  OFFERS_API_KEY  the organisation's API key, with --from

Examples:
  $ WEBHOOK_SECRET=… offers listen
  $ offers listen --from http://localhost:3000 \\
      --forward-to http://localhost:3001/offers --port 3400
  $ offers listen --record events.jsonl
  $ offers listen --port 3400 --forward-to http://localhost:3001/offers
  $ offers listen --secret-file .secret --json | jq .verification`,
    )
    .action(async (flags: ListenOptions, command: Command) => {
      for (const name of ["after", "skip"] as const)
        if (flags[name] !== undefined && flags.from === undefined)
          command.error(`error: option '--${name}' needs --from, the base URL of the platform`);
      const { listen } = await import("./listen/listen.ts");
      process.exitCode = await listen(flags);
    });

const wayLines = testWays.map(({ name, title }) => `  ${name.padEnd(24)}${title}`).join("\n");

const eventLines = events.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`).join("\n");

/** Defines `offers trigger`. */
export const triggerCommand = (): Command =>
  new Command("trigger")
    .summary("sign one webhook, send it and print the exchange")
    .description(
      "Signs one webhook, sends it to a receiver, and prints the request and the response.\n\nWith --as, sends it as an attacker or a faulty network would, and reports whether the response is correct, why it matters and what to change.",
    )
    .argument("<event>", "the webhook to send; see below")
    .option("--to <url>", "base URL of the receiver")
    .option("--set <field=value>", "set a field; can be repeated", collect)
    .option("--as <way>", "how to send it, or every for all ways; see below", "as-sent")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption("time limit for a response (default: 15 for events, 5 for requests)"))
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Events:
${eventLines}

Ways:
${wayLines}

Environment:
  WEBHOOK_SECRET  the secret in your company profile

Exit code: 0 if the receiver acknowledged with 200, or rejected a request that
it must reject; 1 if not, 2 if it cannot be reached.

Examples:
  $ offers trigger test-auth --to http://localhost:3001/offers
  $ offers trigger worker-offer-response --to http://localhost:3001/offers \\
      --set offerId=offer_7 --set response=rejected
  $ offers trigger worker-offer-response --to http://localhost:3001/offers \\
      --as wrong-signature
  $ offers trigger contact-suggestions --to http://localhost:3001/offers \\
      --set userEmailAddresses=hana@harbour.example,omar@harbour.example`,
    )
    .action(async (event: string, flags: TriggerOptions, command: Command) => {
      requireOption(command, "--to <url>", flags.to);
      const { trigger } = await import("./trigger/trigger.ts");
      process.exitCode = await trigger(event, flags);
    });

/** Defines `offers catch-up`. */
export const catchUpCommand = (): Command =>
  new Command("catch-up")
    .summary("print the events that a receiver missed, or send them to it")
    .description(
      "Reads the event feed of the reference platform from a cursor to its end, and prints the events. With --to, signs each event as a webhook with the same id, and sends them to your receiver in order.",
    )
    .option("--from <url>", "base URL of the platform")
    .option("--after <cursor>", "cursor to start after; without it, the start of the feed")
    .option("--to <url>", "base URL of the receiver")
    .addOption(apiKeyFileOption())
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption("time limit for a response", 15))
    .option("--json", "print one line of JSON per event, and one for the cursor")
    .addHelpText(
      "after",
      `
Environment:
  OFFERS_API_KEY  the organisation's API key
  WEBHOOK_SECRET  the secret in your company profile, with --to

Exit code: 0 if all events were printed or acknowledged, 1 if the receiver did
not acknowledge an event, 2 if the feed or the receiver cannot be reached.

Examples:
  $ OFFERS_API_KEY=… offers catch-up --from https://platform.example
  $ offers catch-up --from http://localhost:3000 --after "$CURSOR" \\
      --to http://localhost:3001/offers --scheme standard-webhooks`,
    )
    .action(async (flags: CatchUpOptions, command: Command) => {
      requireOption(command, "--from <url>", flags.from);
      const { catchUp } = await import("./catch-up/catch-up.ts");
      process.exitCode = await catchUp(flags);
    });

/** Defines `offers replay`. */
export const replayCommand = (): Command =>
  new Command("replay")
    .summary("send recorded webhooks again, newly signed")
    .description(
      "Sends the webhooks that `offers listen --record` saved, in order. Each keeps its id and is signed with the current time.",
    )
    .argument("<file>", "the recording, one webhook per line")
    .option("--to <url>", "base URL of the receiver")
    .option("--start-at <line>", "start at this line of the file", parseLineNumber, 1)
    .option("--new-ids", "give each webhook a new id, so that the receiver handles it again")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption("time limit for a response", 15))
    .option("--json", "print one line of JSON per webhook")
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET  the secret in your company profile

Exit code: 0 if all webhooks were acknowledged, 1 if one was not, 2 if the
receiver or the file cannot be used.

Examples:
  $ offers replay events.jsonl --to http://localhost:3001/offers
  $ offers replay events.jsonl --to http://localhost:3001/offers --start-at 7`,
    )
    .action(async (file: string, flags: ReplayOptions, command: Command) => {
      requireOption(command, "--to <url>", flags.to);
      const { replay } = await import("./replay/replay.ts");
      process.exitCode = await replay(file, flags);
    });
