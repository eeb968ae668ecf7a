/**
 * Prepares a text of other people for a line of a mail (D-38): removes line breaks and changes of direction, and adds spaces
 * so that mail programs make no links of it.
 */
export const lineInMail = (text: string): string =>
  text
    // Programs read a full-width dot as a dot.
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}<>]+/gu, " ")
    .replaceAll(/(?<=[\p{L}\p{N}]):(?=[^\s\d])/gu, ": ")
    .replaceAll(/(?<=[.@。])(?=[\p{L}\p{M}\p{Cf}])/gu, " ")
    .trim();
