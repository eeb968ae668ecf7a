const maxLength = 60;
const maxDigits = 4;

const letters = String.raw`[\p{L}\p{M}]+(?:['’ʼ‘\-‐·\u200c\u200d][\p{L}\p{M}]+)*`;
/** A dot ends a word or an initial, so that no domain can stand in one. */
const word = String.raw`\(?(?:(?:\p{L}\p{M}*\.)+|${letters}\.?|\d+)\)?`;
const plainName = new RegExp(`^${word}(?:,? ${word})*$`, "u");

/** Invisible, but for the two that some scripts need within a word. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;

/**
 * How a mail begins to a person whose name strangers wrote (D-87). A name that is no plain one (with a link or what a reader could
 * take for one, invisible or in the wrong direction, or too long) is left out: nothing of it is repaired.
 */
export function greeting(name: string): string {
  // As a mail program might read it.
  const plain = name.normalize("NFKC").trim();
  const digits = plain.match(/\p{N}/gu) ?? [];
  const isPlain =
    plain.length <= maxLength && digits.length <= maxDigits && !invisible.test(plain) && plainName.test(plain);
  return isPlain ? `Dear ${plain},` : "Hello,";
}
