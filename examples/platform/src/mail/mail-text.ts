import type { OfferEventValue } from "../store/tables.ts";
import { timeFormats } from "../time-zones/time-formats.ts";
import { defaultTimeZone } from "../time-zones/time-zone.ts";

const maxLength = 60;
const maxDigits = 4;

const letters = String.raw`[\p{L}\p{M}]+(?:['’ʼ‘\-‐·\u200c\u200d][\p{L}\p{M}]+)*`;
/** Matches one word of a plain name. A dot may only end a word or an initial, so that no domain matches. */
const word = String.raw`\(?(?:(?:\p{L}\p{M}*\.)+|${letters}\.?|\d+)\)?`;
const plainName = new RegExp(`^${word}(?:,? ${word})*$`, "u");

/** Matches invisible characters, except the two that some scripts need within a word. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns the greeting of an email to a person whose name an attacker may have chosen (D-87). It uses the name only if it is plain: not too
 * long, visible, without anything that looks like a link, and without changes of text direction.
 */
export function greeting(name: string): string {
  // Replace compatibility characters with what an email program may render.
  const plain = name.normalize("NFKC").trim();
  const digits = plain.match(/\p{N}/gu) ?? [];
  const isPlain =
    plain.length <= maxLength && digits.length <= maxDigits && !invisible.test(plain) && plainName.test(plain);
  return isPlain ? `Dear ${plain},` : "Hello,";
}

/**
 * Makes a string that another person wrote safe for one line of an email (D-38): removes line breaks and changes of text direction, and
 * adds spaces so that email programs do not turn it into a link.
 */
export const toEmailLine = (text: string): string =>
  text
    // Email programs treat a full-width dot as a dot.
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}<>]+/gu, " ")
    .replaceAll(/(?<=[\p{L}\p{N}]):(?=[^\s\d])/gu, ": ")
    .replaceAll(/(?<=[.@。])(?=[\p{L}\p{M}\p{Cf}])/gu, " ")
    .trim();

/** What an email or push notification says about an offer's work. */
export interface OfferSummary {
  events: readonly OfferEventValue[];
  /** The place's name, or its id if it has no name. Empty without a place. */
  place: string;
  /** The recipient's time zone; null while it is unknown. */
  timeZone: string | null;
}

/** How many time slots are listed; any others are only counted. */
const shownSlots = 5;

/** Returns one line per time slot, such as `When: Fri, 5 Mar 2027, 17:00–23:00 GMT`, and a line `Where: …`. */
export function offerSummary({ events, place: name, timeZone }: OfferSummary): string[] {
  const { span } = timeFormats(timeZone ?? defaultTimeZone);
  const inOrder = events.toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start));
  const slots = inOrder.slice(0, shownSlots).map(({ start, end }) => `When: ${span(new Date(start), new Date(end))}`);
  const more = events.length - slots.length;
  const place = toEmailLine(name);
  return [
    ...slots,
    ...(more > 0 ? [`and ${more} more time slot${more === 1 ? "" : "s"}`] : []),
    ...(place === "" ? [] : [`Where: ${place}`]),
  ];
}
