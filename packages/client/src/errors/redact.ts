/** Replaces the key in texts, and stands for a key that is not known yet. */
export const redacted = "[redacted]";

/** Removes the API key from a text (D-49), also in its JSON encoding. */
export const redact = (text: string, key: string): string =>
  text.replaceAll(JSON.stringify(key).slice(1, -1), redacted).replaceAll(key, redacted);
