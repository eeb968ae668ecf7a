import { styleText } from "node:util";
import { demo } from "./demo.ts";
import { type LogLine, readableLine } from "./readable-line.ts";
import { type StartedSandbox, startLines } from "./start-lines.ts";

/** Writes what happens to standard output: for a person, or as one JSON object per line. */
export interface Printer {
  /** Receives the log's lines. */
  write(line: string): void;
  started(sandbox: StartedSandbox): void;
  /** The outcome of `--webhooks-to` or `--example`. */
  note(event: string, fields: Record<string, unknown>, text: string, isGood: boolean): void;
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** The log's own lines, and those of the sandbox in the same shape. */
export const jsonPrinter: Printer = {
  write: (line) => void process.stdout.write(line),
  started: (sandbox) => printJson("sandbox.started", { ...sandbox, ...demo }),
  note: (event, fields) => printJson(event, fields),
};

const printJson = (msg: string, fields: object): void =>
  void print(JSON.stringify({ time: Date.now(), ...fields, msg }));

export function readablePrinter(): Printer {
  let address = "";
  return {
    write(line) {
      const found = readableLine(JSON.parse(line) as LogLine, address);
      // Without colour when NO_COLOR is set, and when the output is no terminal.
      if (found) print(styleText(found.colour, found.text, { stream: process.stdout }));
    },
    started(sandbox) {
      address = sandbox.address;
      print(startLines(sandbox));
    },
    note: (_event, _fields, text, isGood) =>
      void print(styleText(isGood ? "green" : "red", text, { stream: process.stdout })),
  };
}
