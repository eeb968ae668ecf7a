/**
 * Decodes at most `maxBytes` of a body as text that PostgreSQL can store (D-44). A character that is cut off is dropped.
 * Invalid UTF-8 and U+0000 become U+FFFD.
 */
export function truncateUtf8(body: Uint8Array, maxBytes: number): string {
  // `stream` drops an incomplete character at the end.
  const text = new TextDecoder().decode(body.subarray(0, maxBytes), { stream: body.length > maxBytes });
  return text.replaceAll("\0", "\ufffd");
}
