import { visibleCharacter } from "@offers/contract/decisions";
import { dateTime } from "@offers/contract/received-values";
import { z } from "zod";

/** Returns the remedy for a JSON string that PostgreSQL cannot store unchanged (D-44); undefined if it can store the string. */
export function remedyForText(text: string): string | undefined {
  if (text.includes("\0")) return "Remove the character U+0000.";
  // With the u flag, only a lone surrogate matches.
  if (/\p{Surrogate}/u.test(text)) return "Remove the lone surrogate.";
  return undefined;
}

const visible = new RegExp(visibleCharacter, "u");

/** Returns whether a string contains a visible character (D-89). */
export const isVisible = (text: string): boolean => visible.test(text);

/** A string of 1 to 500 characters that PostgreSQL can store. */
export const textField = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => remedyForText(text) === undefined, { error: ({ input }) => remedyForText(String(input)) });

/** A visible single-line string for emails and headers, without characters that alter the display of surrounding text (D-89). */
export const lineField = textField
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), "Remove the line break or control character.")
  .refine(
    (text) => !/[\u202a-\u202e\u2066-\u2069]/u.test(text),
    "Remove the character that changes the text direction.",
  )
  .refine(isVisible, "Use at least one visible character.");

/** A date-time with its zone (D-96), in a year that PostgreSQL and JavaScript both represent. */
export const instantField = dateTime
  .transform((text) => new Date(text))
  .refine((instant) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999, {
    error: "Use a UTC date-time between the years 0001 and 9999.",
  });

/**
 * Decodes at most `maxBytes` of a body into a string that PostgreSQL can store (D-44). Drops a character that is cut off.
 * Replaces invalid UTF-8 and U+0000 with U+FFFD.
 */
export function truncateUtf8(body: Uint8Array, maxBytes: number): string {
  // `stream` drops an incomplete character at the end.
  const text = new TextDecoder().decode(body.subarray(0, maxBytes), { stream: body.length > maxBytes });
  return text.replaceAll("\0", "\ufffd");
}

/** Bounds a search text, which is repeated in the links of the results. */
const maxSearchBytes = 600;

/** Trims and truncates a search text. Returns an empty string if PostgreSQL cannot store the text, because then nothing contains it. */
export const toSearchText = (input: string): string =>
  remedyForText(input) === undefined ? truncateText(input.trim(), maxSearchBytes) : "";

const graphemes = new Intl.Segmenter();

/** Truncates a string to at most `maxBytes` of JSON, between characters as users see them (grapheme clusters). */
export function truncateText(text: string, maxBytes: number): string {
  let bytes = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    // Without the quotation marks.
    bytes += Buffer.byteLength(JSON.stringify(segment)) - 2;
    if (bytes > maxBytes) return text.slice(0, index);
  }
  return text;
}
