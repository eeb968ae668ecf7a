import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { findHeaderValueProblem } from "@offers/contract/request-values";
import type { Scheme } from "../signature/sign-request.ts";
import { UsageError } from "./output.ts";
import { readTextFile } from "./read-text-file.ts";

const remedy =
  "Set WEBHOOK_SECRET to the secret in your company profile, or pass a file that contains it with --secret-file.";

/** Matches a string in base64, with or without the `whsec_` prefix. */
const base64Secret = /^(whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the secret from a file, the environment or a prompt that does not show the input. It cannot be passed as an argument, because other
 * users of the machine can see arguments, and the shell saves them in its history.
 *
 * @throws {UsageError} (rejects) if the secret is missing, starts or ends with white space, or cannot be used with the scheme
 */
export async function readSecret(scheme: Scheme, file: string | undefined): Promise<string> {
  const secret =
    file === undefined
      ? (process.env.WEBHOOK_SECRET ?? (await promptForSecret()))
      : readSecretFile("--secret-file", file);
  if (secret.trim() === "") throw new UsageError(`The secret is empty. ${remedy}`);
  if (secret !== secret.trim()) throw new UsageError("The secret starts or ends with white space. Remove it.");
  if (scheme === "standardWebhooks" && !base64Secret.test(secret))
    throw new UsageError(
      "Standard Webhooks needs a base64 secret, with or without the whsec_ prefix. Check --scheme and the secret.",
    );
  return secret;
}

/**
 * Reads an organisation's API key from a file or the environment.
 *
 * @throws {UsageError} (rejects) if the key is missing, or is not a valid header value
 */
export async function readApiKey(file: string | undefined): Promise<string> {
  const key = file === undefined ? process.env.OFFERS_API_KEY : readSecretFile("--api-key-file", file);
  if (key !== undefined && !findHeaderValueProblem(key)) return key;
  const problem = key ? "is not printable ASCII, or starts or ends with white space" : "is missing";
  throw new UsageError(
    `The API key ${problem}. Set OFFERS_API_KEY, or pass a file that contains it with --api-key-file.`,
  );
}

async function promptForSecret(): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`No secret is set. ${remedy}`);
  return promptHidden("Webhook secret (not shown): ");
}

/** Prompts on the terminal without showing what is typed. @throws {UsageError} (rejects) on Ctrl+C and Ctrl+D */
async function promptHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const hiddenOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: hiddenOutput, terminal: true });
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

function readSecretFile(option: string, file: string): string {
  try {
    // The line feed that editors add at the end of a file is not part of the secret.
    return readTextFile(file).replace(/\r?\n$/, "");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(
      `The ${option} file cannot be read (${code}): ${file}. It must be a text file in UTF-8 or UTF-16.`,
    );
  }
}
