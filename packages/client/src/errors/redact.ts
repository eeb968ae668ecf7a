/** Stands where the key was, and for the key while there is none. */
export const redacted = "[redacted]";

/** Takes the API key out of a text that somebody else wrote (D-49), also as JSON writes it. */
export const redact = (text: string, key: string): string =>
  text.replaceAll(JSON.stringify(key).slice(1, -1), redacted).replaceAll(key, redacted);
