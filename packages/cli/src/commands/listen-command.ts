import { Command, InvalidArgumentError } from "commander";
import type { Scheme } from "../corpus/scheme.ts";
import { schemeOption, secretFileOption, timeoutOption } from "./options.ts";

interface ListenFlags {
  port: number;
  host: string;
  forwardTo?: string;
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError("Give a port from 0 to 65535.");
  return Number(text);
}

/** `offers listen`: everything it needs is loaded when it runs. */
export const listenCommand = (): Command =>
  new Command("listen")
    .summary("receive webhooks, verify them and print them")
    .description(
      "Receives webhooks, verifies them and prints them, with the reason if one is refused.\n\nResponds as a receiver does: 200 to a valid request, 401 to another. With --forward-to, hands every request on byte for byte, and hands back the response.",
    )
    .option("--port <port>", "port to listen on; 0 takes a free one", readPort, 3001)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--forward-to <url>", "base address of your receiver")
    .addOption(schemeOption())
    .addOption(secretFileOption())
    .addOption(timeoutOption(30))
    .option("--json", "print one line of JSON for each request")
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET  the secret on your company profile

Examples:
  $ WEBHOOK_SECRET=… offers listen
  $ offers listen --port 3400 --forward-to http://localhost:3001/offers
  $ offers listen --secret-file .secret --json | jq .verification`,
    )
    .action(async ({ timeout, ...flags }: ListenFlags) => {
      const { listen } = await import("../listen/listen.ts");
      process.exitCode = await listen({ ...flags, timeoutMs: timeout });
    });
