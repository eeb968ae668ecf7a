import { styleText } from "node:util";

/** An error that the user can correct. The command prints the message, which says what to do, and exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Control characters other than a line feed, and characters that reorder text. */
const unprintable = /(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control characters in a string from the network, because an escape sequence could change what a terminal shows. */
export const toPrintable = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll(unprintable, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });

/** Replaces parts of a string that must not be shown. */
export type Mask = (text: string) => string;

/**
 * Creates a function that masks the secrets in a string (D-102). It also masks their forms in upper case, in lower case and in base64, and
 * their bytes decoded as ISO 8859-1.
 */
export function createMask(secrets: readonly (string | undefined)[]): Mask {
  const forms = secrets.flatMap((secret) =>
    secret ? [secret, secret.toUpperCase(), secret.toLowerCase(), toLatin1(secret), toBase64(secret)] : [],
  );
  // A shorter form may be part of a longer one.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const form of longestFirst) masked = masked.replaceAll(form, "<secret>");
    return masked;
  };
}

/** Returns the secret as it appears in a response that was decoded as ISO 8859-1. */
const toLatin1 = (secret: string): string => Buffer.from(secret).toString("latin1");

const toBase64 = (secret: string): string => Buffer.from(secret).toString("base64");

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/**
 * Returns a function that colours strings if the stream is a terminal with colours, or if FORCE_COLOR is set. NO_COLOR and FORCE_COLOR=0
 * turn colours off. The `styleText` of Node 20 ignores the stream, and would write colour codes to files.
 */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0";
  const isColoured = !NO_COLOR && (isForced || (stream.isTTY && FORCE_COLOR !== "0" && stream.hasColors()));
  return isColoured ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;
}

/** Returns at most `maxLength` characters of a string, without half of an emoji at the end. */
export const cut = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");

/** Formats a count with its noun: `1 event`, `2 events`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Wraps a string at spaces into lines of at most `width` characters. A longer word is not split. Each line starts with `indent`. */
export function wrapText(text: string, indent: string, width: number): string {
  // Lines on a very narrow terminal would otherwise consist of single words.
  const maxLength = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const extendedLine = line === "" ? word : `${line} ${word}`;
    if (extendedLine.length > maxLength && line !== "") {
      lines.push(line);
      line = word;
    } else line = extendedLine;
  }
  lines.push(line);
  return lines.map((wrappedLine) => `${indent}${wrappedLine}`).join("\n");
}

/** Returns the width of a stream's lines in characters: at most 100, and 80 if it is unknown. Some terminals say that it is 0. */
export const widthOf = ({ columns }: Pick<NodeJS.WriteStream, "columns">): number => Math.min(columns || 80, 100);
