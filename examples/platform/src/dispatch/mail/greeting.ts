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
  // As a mail program may render it.
  const plain = name.normalize("NFKC").trim();
  const digits = plain.match(/\p{N}/gu) ?? [];
  const isPlain =
    plain.length <= maxLength && digits.length <= maxDigits && !invisible.test(plain) && plainName.test(plain);
  return isPlain ? `Dear ${plain},` : "Hello,";
}
