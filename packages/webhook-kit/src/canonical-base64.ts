const shape = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The bytes of base64 in the one spelling that RFC 4648 (section 4) gives them: standard alphabet, padded, no stray bits, no
 * white space; anything else is undefined. `Buffer.from(text, "base64")` by itself skips what it does not know.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (!shape.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  // The last character before the padding may carry bits that no byte takes up: several texts would mean the same bytes.
  return bytes.toString("base64") === text ? bytes : undefined;
}
