#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { endWithNpm } from "@offers/contract/end-with-npm";
import { findNearestName } from "@offers/contract/nearest-name";
import { Command, CommanderError } from "commander";
import { catchUpCommand, listenCommand, probeCommand, replayCommand, triggerCommand } from "./commands.ts";
import { UsageError, widthOf, wrapText } from "./terminal/output.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const program = new Command("offers")
  .description("Test your endpoint for the staffing service's webhooks.")
  .version(version)
  .addCommand(probeCommand())
  .addCommand(listenCommand())
  .addCommand(triggerCommand())
  .addCommand(replayCommand())
  .addCommand(catchUpCommand());

for (const command of [program, ...program.commands])
  command
    .exitOverride()
    .showHelpAfterError(`Try: offers ${command === program ? "" : `${command.name()} `}--help`)
    // Commander removes colours if NO_COLOR is set or the output is not a terminal.
    .configureHelp({ styleTitle: (title) => styleText("bold", title, { validateStream: false }) });

// Commander's own suggestions are too lenient. For example, it would suggest probe for frob.
program.on("command:*", ([unknownName = ""]: string[]) => {
  const names = program.commands.map((command) => command.name());
  const suggestion = findNearestName(unknownName, names);
  const remedy = suggestion === undefined ? `The commands are ${names.join(", ")}.` : `Did you mean ${suggestion}?`;
  program.error(`error: unknown command '${unknownName}'. ${remedy}`);
});

endWithNpm();
// A closed pipe, such as `| head`, ends the command without a stack trace.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already printed its own errors. It would exit with 1, but that exit code means that there are findings.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError) {
    const message = `offers: ${error.message}`;
    // Only a terminal gets wrapped lines.
    console.error(process.stderr.isTTY ? wrapText(message, "", widthOf(process.stderr)) : message);
    process.exitCode = 2;
  } else throw error;
}
