import { compareDateTimes } from "@offers/contract/date-time";
import type { OfferEventValue } from "../store/tables.ts";
import { timeFormats } from "../time-zones/time-formats.ts";
import { defaultTimeZone } from "../time-zones/time-zone.ts";

const maxNameLength = 60;
const maxNameDigits = 4;

const letters = String.raw`[\p{L}\p{M}]+(?:['’ʼ‘\-‐·\u200c\u200d][\p{L}\p{M}]+)*`;
/** Matches one word of a plain name. Dots are allowed only at the end of words and initials, so that domains do not match. */
const word = String.raw`\(?(?:(?:\p{L}\p{M}*\.)+|${letters}\.?|\d+)\)?`;
const plainName = new RegExp(`^${word}(?:,? ${word})*$`, "u");

/** Matches invisible characters, except the two that some scripts need within a word. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns the greeting for an email. An attacker may have chosen the person's name (D-87), so the greeting contains only a plain name:
 * a short one without invisible characters, changes of text direction, or anything that looks like a link.
 */
export function greeting(name: string): string {
  // Replace compatibility characters with the characters that an email program may show instead.
  const normalised = name.normalize("NFKC").trim();
  const digits = normalised.match(/\p{N}/gu) ?? [];
  const isShort = normalised.length <= maxNameLength && digits.length <= maxNameDigits;
  const isPlain = isShort && !invisible.test(normalised) && plainName.test(normalised);
  return isPlain ? `Dear ${normalised},` : "Hello,";
}

/**
 * Makes a string from another person safe for one line of an email (D-38). Removes line breaks and changes of text direction, and
 * adds spaces so that email programs do not create links.
 */
export const toEmailLine = (text: string): string =>
  text
    // Email programs treat a full-width dot as a dot.
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}<>]+/gu, " ")
    .replaceAll(/(?<=[\p{L}\p{N}]):(?=[^\s\d])/gu, ": ")
    .replaceAll(/(?<=[.@。])(?=[\p{L}\p{M}\p{Cf}])/gu, " ")
    .trim();

/** An offer's time and place, for emails and push notifications. */
export interface OfferSummary {
  events: readonly OfferEventValue[];
  /** The name of the place, or its id if it has no name. Empty if the offer has no place. */
  place: string;
  /** The recipient's time zone; null while it is unknown. */
  timeZone: string | null;
}

/** The maximum number of time slots to list. A summary only counts the others. */
const maxListedSlots = 5;

/**
 * Returns a line such as `When: Fri, 5 Mar 2027, 17:00–23:00 GMT` for each of the first time slots, a line that counts the others, and
 * a line `Where: …` if the offer has a place.
 */
export function offerSummary({ events, place: placeText, timeZone }: OfferSummary): string[] {
  const { span } = timeFormats(timeZone ?? defaultTimeZone);
  const inOrder = events.toSorted((a, b) => compareDateTimes(a.start, b.start));
  const slots = inOrder
    .slice(0, maxListedSlots)
    .map(({ start, end }) => `When: ${span(new Date(start), new Date(end))}`);
  const omitted = events.length - slots.length;
  const place = toEmailLine(placeText);
  return [
    ...slots,
    ...(omitted > 0 ? [`and ${omitted} more time slot${omitted === 1 ? "" : "s"}`] : []),
    ...(place === "" ? [] : [`Where: ${place}`]),
  ];
}
