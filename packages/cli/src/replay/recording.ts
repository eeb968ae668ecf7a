import { appendFileSync } from "node:fs";
import { UsageError } from "../terminal/output.ts";
import { readTextFile } from "../terminal/read-text-file.ts";
import type { Webhook } from "../trigger/write-webhook.ts";

/** A verified webhook, without its signature, as one line of a file. */
export interface RecordedWebhook {
  time: string;
  id: string;
  method: string;
  /** The path below the base URL. */
  path: string;
  body: string;
}

/**
 * Opens a file for recording. Returns a function that appends a webhook, unless it has already appended one with the same id.
 *
 * @throws {UsageError} if the file cannot be written
 */
export function openRecording(file: string): (webhook: RecordedWebhook) => void {
  const append = (text: string) => {
    try {
      appendFileSync(file, text, { mode: 0o600 });
    } catch (cause) {
      throw new UsageError(`The --record file cannot be written (${(cause as NodeJS.ErrnoException).code}): ${file}`);
    }
  };
  // Check now, instead of at the first webhook, that the file can be written.
  append("");
  const recordedIds = new Set<string>();
  return ({ time, id, method, path, body }) => {
    if (recordedIds.has(id)) return;
    recordedIds.add(id);
    append(`${JSON.stringify({ time, id, method, path, body })}\n`);
  };
}

/** Reads the webhooks from a recording. @throws {UsageError} if the file cannot be read, or a line is not a recorded webhook */
export function readRecording(file: string): Webhook[] {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (cause) {
    throw new UsageError(`The recording cannot be read (${(cause as NodeJS.ErrnoException).code}): ${file}`);
  }
  return text.split(/\r?\n/).flatMap((line, index) => (line === "" ? [] : [parseLine(line, file, index + 1)]));
}

function parseLine(line: string, file: string, lineNumber: number): Webhook {
  try {
    const { id, method, path, body } = JSON.parse(line) as RecordedWebhook;
    const isComplete = [id, method, path, body].every((value) => typeof value === "string");
    // These values become part of a request head, so they must not contain line breaks.
    if (isComplete && /^(GET|POST)$/.test(method) && /^\/[\x21-\x7e]*$/.test(path) && /^[\x21-\x7e]+$/.test(id))
      return { id, method, path, body: Buffer.from(body) };
  } catch {
    // Reported below, like JSON with the wrong shape.
  }
  throw new UsageError(`Line ${lineNumber} of ${file} is not a webhook recorded by offers listen --record.`);
}
