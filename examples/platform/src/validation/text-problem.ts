/** What to do about a text that JSON can write and PostgreSQL cannot keep to the letter; undefined when it can (D-44). */
export function textRemedy(text: string): string | undefined {
  if (text.includes("\0")) return "Remove the character U+0000.";
  // With the flag u, only half of a pair matches.
  if (/\p{Surrogate}/u.test(text)) return "Remove the half of a surrogate pair.";
  return undefined;
}
