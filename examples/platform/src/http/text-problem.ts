/** Why PostgreSQL cannot store a JSON string unchanged, as a remedy; undefined when it can (D-44). */
export function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "Remove the character U+0000.";
  // With the flag u, only a lone surrogate matches.
  if (/\p{Surrogate}/u.test(text)) return "Remove the lone surrogate.";
  return undefined;
}
