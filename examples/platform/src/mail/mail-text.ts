import type { OfferEventValue } from "../store/tables.ts";
import { timeFormats } from "../time-zones/time-formats.ts";
import { defaultTimeZone } from "../time-zones/time-zone.ts";

const maxLength = 60;
const maxDigits = 4;

const letters = String.raw`[\p{L}\p{M}]+(?:['’ʼ‘\-‐·\u200c\u200d][\p{L}\p{M}]+)*`;
/** A dot only ends a word or an initial, so that no domain matches. */
const word = String.raw`\(?(?:(?:\p{L}\p{M}*\.)+|${letters}\.?|\d+)\)?`;
const plainName = new RegExp(`^${word}(?:,? ${word})*$`, "u");

/** Except the two that some scripts need within a word. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;

/**
 * The greeting of a mail to a person whose name an attacker may have written (D-87). A name is used only if it is plain: not too
 * long, visible, without a link or what a reader could take for one, and without changes of direction.
 */
export function greeting(name: string): string {
  // Compatibility characters are replaced with what an email program may render.
  const plain = name.normalize("NFKC").trim();
  const digits = plain.match(/\p{N}/gu) ?? [];
  const isPlain =
    plain.length <= maxLength && digits.length <= maxDigits && !invisible.test(plain) && plainName.test(plain);
  return isPlain ? `Dear ${plain},` : "Hello,";
}

/**
 * Prepares a string that another person wrote for a line of an email (D-38): removes line breaks and changes of direction, and
 * adds spaces so that mail programs do not turn it into a link.
 */
export const lineInMail = (text: string): string =>
  text
    // Programs read a full-width dot as a dot.
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}<>]+/gu, " ")
    .replaceAll(/(?<=[\p{L}\p{N}]):(?=[^\s\d])/gu, ": ")
    .replaceAll(/(?<=[.@。])(?=[\p{L}\p{M}\p{Cf}])/gu, " ")
    .trim();

/** The work of an offer, as lines of a mail or a push. */
export interface OfferSummary {
  events: readonly OfferEventValue[];
  /** The place's name, or its id if it has no name; empty without a place. */
  place: string;
  /** The reader's time zone; null while it is unknown. */
  timeZone: string | null;
}

/** Any further time slots are only counted. */
const shownSlots = 5;

/** `When: Fri, 5 Mar 2027, 17:00–23:00 GMT`, a line per time slot, and `Where: …`. */
export function offerSummary({ events, place: name, timeZone }: OfferSummary): string[] {
  const { span } = timeFormats(timeZone ?? defaultTimeZone);
  const inOrder = events.toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start));
  const slots = inOrder.slice(0, shownSlots).map(({ start, end }) => `When: ${span(new Date(start), new Date(end))}`);
  const more = events.length - slots.length;
  const place = lineInMail(name);
  return [
    ...slots,
    ...(more > 0 ? [`and ${more} more time slot${more === 1 ? "" : "s"}`] : []),
    ...(place === "" ? [] : [`Where: ${place}`]),
  ];
}
