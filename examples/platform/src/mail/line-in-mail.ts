/**
 * A text that strangers wrote as part of a line of a mail (D-38): without line breaks and changes of direction, and with a space
 * where a mail program would otherwise make a link of it.
 */
export const lineInMail = (text: string): string =>
  text
    // A full-width dot is a dot to what reads it.
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}<>]+/gu, " ")
    .replaceAll(/(?<=[\p{L}\p{N}]):(?=[^\s\d])/gu, ": ")
    .replaceAll(/(?<=[.@。])(?=[\p{L}\p{M}\p{Cf}])/gu, " ")
    .trim();
