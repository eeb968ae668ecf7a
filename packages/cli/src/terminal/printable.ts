/** Control characters other than a line feed, and characters that reorder text. */
const unprintable = /(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text from the network without control characters: an escape sequence could rewrite what a terminal shows. */
export const printable = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll(unprintable, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
