/** The string that replaces an echo. */
const mask = "***";

/** Matches an escaped character: `%41`, `&#65;`, `&#x41;`, `\u0041`, `\u{41}` and `\x41` all represent an A. */
const escapes = /%[\da-f]{2}|&#\d{1,7};?|&#x[\da-f]{1,6};?|\\u[\da-f]{4}|\\u\{[\da-f]{1,6}\}|\\x[\da-f]{2}/gi;
/** The maximum number of layers of escapes to remove; `%2541` has two. */
const maxNesting = 3;

/** Matches any digest, so that digests from other attempts, or computed by the receiver, are masked too. */
const digests = /(?<![\da-z])[\da-f]{64}(?![\da-z])|(?<![\da-z])v1a?,[\da-z+/_-]{40,}={0,2}/gi;

/** The minimum length of a partial echo that is masked at the end of a truncated response. */
const minCutLength = 4;

/** A body after unescaping. `starts` maps each character, and the end, to an index in the original body. */
interface UnescapedText {
  text: string;
  starts: number[];
}

/**
 * Creates a function that masks a request's signatures and secrets in parts of its response (D-49). Otherwise the platform would
 * store and show credentials that an endpoint echoes. The function finds complete and partial echoes, in upper or lower case, escaped,
 * and in hexadecimal or base64. Pass `isCut` if the part was truncated, because it may then end with the start of an echo.
 */
export function createEchoMask(confidential: Confidential): (part: Buffer, isCut?: boolean) => Buffer {
  // Collect the windows at most once per response, and only if a part could contain an echo, because this is expensive.
  let windows: EchoWindows | undefined;
  return (part, isCut = false) => {
    // Latin-1 has one character per byte, so indexes in `text` and `part` are the same.
    const text = part.toString("latin1");
    if (part.length === 0 || (!isCut && isHarmless(text))) return part;
    windows ??= collectEchoWindows(confidential);
    const maskFlags = findEchoes(text, windows, isCut);
    return maskFlags.includes(1) ? Buffer.from(applyMasks(text, maskFlags), "latin1") : part;
  };
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
/** Matches header values that nearly every response contains. */
const commonValues =
  /^(?:keep-alive|timeout=5|no-cache|no-store|chunked|(?:application\/json|text\/plain|text\/html)(?:; charset=utf-8)?|Accept-Encoding|Express)$/;

/** Returns whether a string is too short to contain an echo, or is an HTTP date or another common header value. */
const isHarmless = (text: string): boolean =>
  text.length < signatureWindow || commonValues.test(text) || httpDate.test(text);

/** Finds echoes. @returns one byte for each character in `text`: 1 if the character belongs to an echo */
function findEchoes(text: string, windows: EchoWindows, isCut: boolean): Uint8Array {
  const maskFlags = new Uint8Array(text.length);
  for (const { index, 0: digest } of text.matchAll(digests)) maskFlags.fill(1, index, index + digest.length);
  let unescaped: UnescapedText | undefined = {
    text,
    starts: Array.from({ length: text.length + 1 }, (_, index) => index),
  };
  for (let depth = 0; unescaped !== undefined && depth <= maxNesting; depth += 1) {
    markEchoes(unescaped, windows, maskFlags, isCut);
    unescaped = unescapeOnce(unescaped);
  }
  return maskFlags;
}

/** Removes one layer of escapes. @returns undefined if there are no escapes */
function unescapeOnce({ text, starts }: UnescapedText): UnescapedText | undefined {
  const parts: string[] = [];
  const newStarts: number[] = [];
  let copiedUntil = 0;
  const copyUntil = (end: number): void => {
    parts.push(text.slice(copiedUntil, end));
    while (copiedUntil < end) {
      newStarts.push(starts[copiedUntil] ?? 0);
      copiedUntil += 1;
    }
  };
  for (const { index, 0: escapeSequence } of text.matchAll(escapes)) {
    copyUntil(index);
    parts.push(decodeEscape(escapeSequence));
    newStarts.push(starts[index] ?? 0);
    copiedUntil = index + escapeSequence.length;
  }
  if (copiedUntil === 0) return undefined;
  copyUntil(text.length);
  return { text: parts.join(""), starts: [...newStarts, starts[text.length] ?? 0] };
}

/** Returns the character that an escape represents; "?" if it is not an ASCII character. */
function decodeEscape(escapeSequence: string): string {
  const isDecimal = /^&#\d/.test(escapeSequence);
  const code = isDecimal
    ? Number.parseInt(escapeSequence.slice(2), 10)
    : Number.parseInt(escapeSequence.replace(/^(?:%|&#x|\\x|\\u\{?)/i, ""), 16);
  return code < 0x80 ? String.fromCharCode(code) : "?";
}

/** Sets the flags of all characters that belong to an echo in this layer of the text. */
function markEchoes(
  { text, starts }: UnescapedText,
  windows: EchoWindows,
  maskFlags: Uint8Array,
  isCut: boolean,
): void {
  /** The index of each letter and digit in the text. */
  const indexes: number[] = [];
  for (const { index, 0: run } of text.matchAll(/[\da-z]+/gi))
    for (let at = index; at < index + run.length; at += 1) indexes.push(at);
  const alphanumerics = toAlphanumeric(text);
  const mark = (from: number, to: number): void => {
    // Mask each character separately, to keep characters in between, such as JSON quotes.
    for (const index of indexes.slice(from, to)) maskFlags.fill(1, starts[index], starts[index + 1]);
  };
  for (const [length, windowsOfLength] of windows) {
    for (let from = 0; from + length <= alphanumerics.length; from += 1)
      if (windowsOfLength.has(alphanumerics.slice(from, from + length))) mark(from, from + length);
    if (isCut) mark(cutEchoStart(alphanumerics, windowsOfLength, length), alphanumerics.length);
  }
}

/** Returns the index at which the end of a truncated text may be the start of an echo; the length of the text if it is not. */
function cutEchoStart(text: string, windowsOfLength: ReadonlySet<string>, length: number): number {
  const windows = [...windowsOfLength];
  for (let cutLength = Math.min(length - 1, text.length); cutLength >= minCutLength; cutLength -= 1) {
    const end = text.slice(-cutLength);
    if (windows.some((window) => window.startsWith(end))) return text.length - cutLength;
  }
  return text.length;
}

/** Replaces each run of masked characters with one mask. */
function applyMasks(text: string, maskFlags: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const flag = maskFlags[from];
    let to = from;
    while (to < text.length && maskFlags[to] === flag) to += 1;
    parts.push(flag === 1 ? mask : text.slice(from, to));
    from = to;
  }
  return parts.join("");
}

/** Substrings of confidential strings, normalised by `toAlphanumeric` and keyed by length. */
type EchoWindows = Map<number, Set<string>>;

/** The values that `createEchoMask` searches for: the signatures that were sent, and the secrets they were created with. */
export interface Confidential {
  /** Digests and signatures in hexadecimal or base64. Eight or more consecutive characters are masked. */
  signatures: readonly string[];
  /** Secrets as users entered them, possibly with ordinary words. Sixteen or more consecutive characters are masked. */
  secrets: readonly string[];
}

const signatureWindow = 8;
const secretWindow = 16;

/** Converts to lower case and removes separators, so that differences in case, padding, base64url or colons do not matter. */
const toAlphanumeric = (text: string): string => text.replace(/[^\da-z]/gi, "").toLowerCase();

/** Collects windows of the likely encodings of an echo: as sent, in hexadecimal, base64 or character codes, and reversed. */
function collectEchoWindows({ signatures, secrets }: Confidential): EchoWindows {
  const windows: EchoWindows = new Map();
  for (const signature of signatures)
    for (const text of [signature, signature.toLowerCase(), signature.toUpperCase()])
      addEncodings(windows, text, signatureWindow);
  for (const secret of secrets) addEncodings(windows, secret, secretWindow);
  return windows;
}

function addEncodings(windows: EchoWindows, text: string, length: number): void {
  const bytes = Buffer.from(text);
  addWindows(windows, text, length);
  addWindows(windows, bytes.toString("hex"), length);
  // Each character becomes two or three digits, so a window must be twice as long to be equally specific.
  addWindows(windows, bytes.join(""), 2 * length);
  for (const encoded of base64Encodings(bytes)) addWindows(windows, encoded, length);
  // Add the encodings of the bytes that `text` encodes.
  const isHex = /^(?:[\da-f]{2})+$/i.test(text);
  const decoded = Buffer.from(text.replace(/^whsec_/, ""), isHex ? "hex" : "base64");
  if (decoded.length < signatureWindow) return;
  addWindows(windows, decoded.toString("hex"), length);
  for (const encoded of base64Encodings(decoded)) addWindows(windows, encoded, length);
}

/** Encodes the bytes at each of the three offsets in a base64 group. Omits the digits that depend on preceding bytes. */
const base64Encodings = (bytes: Buffer): string[] =>
  [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .slice(offset === 0 ? 0 : offset + 1),
  );

/** Adds every window of a string and of its reverse. Windows have `maxLength` characters, or fewer if the string is shorter. */
function addWindows(windows: EchoWindows, encoded: string, maxLength: number): void {
  const text = toAlphanumeric(encoded);
  const length = Math.min(maxLength, text.length);
  // Ignore shorter windows, because they would match ordinary text.
  if (length < signatureWindow) return;
  const windowsOfLength = windows.get(length) ?? new Set();
  windows.set(length, windowsOfLength);
  const reversed = [...text].reverse().join("");
  for (let from = 0; from + length <= text.length; from += 1) {
    windowsOfLength.add(text.slice(from, from + length));
    windowsOfLength.add(reversed.slice(from, from + length));
  }
}

const credentialHeaders = new Set(["authorization", "webhook-signature"]);

/** Extracts the digests and signatures from headers such as `hmac 0A1B…` and `v1,c2ln… v1,b3Ro…`, without the scheme. */
export const extractSignatures = (headers: Record<string, string>): string[] =>
  Object.entries(headers)
    .filter(([name]) => credentialHeaders.has(name.toLowerCase()))
    .flatMap(([, value]) => value.split(/[ ,]+/))
    .filter((part) => part !== "hmac" && part !== "v1");

/** Redacts signatures but not the name of their scheme, so that the headers are safe to show. */
export function redactSignatures(headers: Record<string, string>): Record<string, string> {
  const redact = (value: string): string => `${/^(?:hmac |v1,)/.exec(value)?.[0] ?? ""}***`;
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, credentialHeaders.has(name.toLowerCase()) ? redact(value) : value]),
  );
}
