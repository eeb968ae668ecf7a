const shape = /^hmac +([0-9a-f]{64})$/i;

/**
 * The 32 bytes in `hmac <64 hexadecimal digits>`; anything else is undefined (D-16). One or more spaces separate the two, and the
 * scheme's case does not matter (RFC 9110, section 11.4). The digits are checked before they are
 * decoded, because `Buffer.from(text, "hex")` stops at the first character that is none and keeps what it has.
 */
export function parseAuthorization(text: string): Buffer | undefined {
  const digits = shape.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, "hex");
}
