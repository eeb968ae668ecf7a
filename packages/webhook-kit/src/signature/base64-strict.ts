/**
 * The bytes of base64 in the one spelling that RFC 4648 (section 4) gives them: standard alphabet, padded, no stray bits, no
 * white space; anything else is undefined. Written back and compared, because `Buffer.from(text, "base64")` by itself skips
 * what it does not know, and so reads many texts as the same bytes.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
