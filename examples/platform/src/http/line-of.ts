/** A text for one line of a mail: no line breaks, and none of the controls that turn the text beside it round (D-89). */
export const lineOf = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(/[\u202a-\u202e\u2066-\u2069]/gu, "");
