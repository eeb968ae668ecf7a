/**
 * The beginning of a body as text that the store can keep (D-44): at most `maxBytes` of it, and never half a character.
 * What is no UTF-8 and U+0000 become U+FFFD.
 */
export function excerptOf(body: Uint8Array, maxBytes: number): string {
  // A stream's end may be cut: what is left of a character is dropped.
  const text = new TextDecoder().decode(body.subarray(0, maxBytes), { stream: body.length > maxBytes });
  return text.replaceAll("\0", "\ufffd");
}
