import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./usage-error.ts";

/** Asks on the terminal and shows nothing of what is typed. @throws {UsageError} (rejects) on Ctrl+C and Ctrl+D */
export async function promptHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const cancelled = new AbortController();
  terminal.once("SIGINT", () => cancelled.abort()).once("close", () => cancelled.abort());
  try {
    return await terminal.question("", { signal: cancelled.signal });
  } catch (cause) {
    throw new UsageError("No secret was entered.", { cause });
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
