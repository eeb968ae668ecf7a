/** What an echo is replaced with. */
const mask = "***";

/** Matches escapes of a character: `%41`, `&#65;`, `&#x41;`, `\u0041`, `\u{41}` and `\x41` are all an A. */
const escapes = /%[\da-f]{2}|&#\d{1,7};?|&#x[\da-f]{1,6};?|\\u[\da-f]{4}|\\u\{[\da-f]{1,6}\}|\\x[\da-f]{2}/gi;
/** How many layers of escapes are removed; `%2541` has two. */
const maxNesting = 3;

/** Matches any digest, so that digests from other attempts, or computed by the receiver, are masked too. */
const digests = /(?<![\da-z])[\da-f]{64}(?![\da-z])|(?<![\da-z])v1a?,[\da-z+/_-]{40,}={0,2}/gi;

/** The minimum length of an echo that is masked at the end of a truncated response. */
const minCut = 4;

/** The body after decoding. `starts` maps each of its characters, and its end, to an index in the body. */
interface Reading {
  text: string;
  starts: number[];
}

/**
 * Returns a function that masks a request's signatures and secrets in the parts of its response (D-49): the platform would otherwise
 * store and show the credentials that an endpoint echoes. Finds them whole or in part, in any case, escaped, in hexadecimal or base64.
 * `isCut` means that a part was truncated, so its end may be the start of an echo.
 */
export function maskEchoes(confidential: Confidential): (part: Buffer, isCut?: boolean) => Buffer {
  // Built at most once per response, and only if a part of it could contain an echo, because it is expensive.
  let windows: EchoWindows | undefined;
  return (part, isCut = false) => {
    // Latin-1 has one character per byte, so indexes in `text` and `part` are the same.
    const text = part.toString("latin1");
    if (part.length === 0 || (!isCut && isHarmless(text))) return part;
    windows ??= echoWindows(confidential);
    const masked = findEchoes(text, windows, isCut);
    return masked.includes(1) ? Buffer.from(applyMasks(text, masked), "latin1") : part;
  };
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
/** Matches header values that nearly every response has. */
const commonValues =
  /^(?:keep-alive|timeout=5|no-cache|no-store|chunked|(?:application\/json|text\/plain|text\/html)(?:; charset=utf-8)?|Accept-Encoding|Express)$/;

/** Whether a string is too short to contain an echo, or is a common header value. */
const isHarmless = (text: string): boolean =>
  text.length < signatureWindow || commonValues.test(text) || httpDate.test(text);

/** Returns one byte for each character of `text`: 1 if the character belongs to an echo. */
function findEchoes(text: string, windows: EchoWindows, isCut: boolean): Uint8Array {
  const masked = new Uint8Array(text.length);
  for (const { index, 0: found } of text.matchAll(digests)) masked.fill(1, index, index + found.length);
  let reading: Reading | undefined = { text, starts: Array.from({ length: text.length + 1 }, (_, index) => index) };
  for (let depth = 0; reading !== undefined && depth <= maxNesting; depth += 1) {
    markEchoes(reading, windows, masked, isCut);
    reading = unescapeOnce(reading);
  }
  return masked;
}

/** Removes one layer of escapes. Returns undefined if it finds no escapes. */
function unescapeOnce({ text, starts }: Reading): Reading | undefined {
  const parts: string[] = [];
  const kept: number[] = [];
  let done = 0;
  const copyUntil = (end: number): void => {
    parts.push(text.slice(done, end));
    for (; done < end; done += 1) kept.push(starts[done] ?? 0);
  };
  for (const { index, 0: found } of text.matchAll(escapes)) {
    copyUntil(index);
    const code = /^&#\d/.test(found)
      ? Number.parseInt(found.slice(2), 10)
      : Number.parseInt(found.replace(/^(?:%|&#x|\\x|\\u\{?)/i, ""), 16);
    parts.push(code < 0x80 ? String.fromCharCode(code) : "?");
    kept.push(starts[index] ?? 0);
    done = index + found.length;
  }
  if (done === 0) return undefined;
  copyUntil(text.length);
  return { text: parts.join(""), starts: [...kept, starts[text.length] ?? 0] };
}

function markEchoes({ text, starts }: Reading, windows: EchoWindows, masked: Uint8Array, isCut: boolean): void {
  /** The index of each letter and digit in the text. */
  const places: number[] = [];
  for (const { index, 0: run } of text.matchAll(/[\da-z]+/gi))
    for (let at = index; at < index + run.length; at += 1) places.push(at);
  const letters = alphanumericOf(text);
  const mark = (from: number, to: number): void => {
    // Mask character by character, so that characters in between, such as JSON quotes, stay.
    for (const place of places.slice(from, to)) masked.fill(1, starts[place], starts[place + 1]);
  };
  for (const [length, known] of windows) {
    for (let from = 0; from + length <= letters.length; from += 1)
      if (known.has(letters.slice(from, from + length))) mark(from, from + length);
    if (!isCut) continue;
    const begins = [...known];
    for (let cut = Math.min(length - 1, letters.length); cut >= minCut; cut -= 1)
      if (begins.some((window) => window.startsWith(letters.slice(-cut)))) mark(letters.length - cut, letters.length);
  }
}

/** Replaces each run of masked characters with one mask. */
function applyMasks(text: string, masked: Uint8Array): string {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const state = masked[from];
    let to = from;
    while (to < text.length && masked[to] === state) to += 1;
    parts.push(state === 1 ? mask : text.slice(from, to));
    from = to;
  }
  return parts.join("");
}

/** Parts of confidential strings, normalised by `alphanumericOf` and keyed by length. */
type EchoWindows = Map<number, Set<string>>;

/** The values that `maskEchoes` searches for: the signatures that were sent, and their secrets. */
export interface Confidential {
  /** Digests and signatures in hexadecimal or base64. Any eight consecutive characters are found. */
  signatures: readonly string[];
  /** Secrets as users entered them, possibly with ordinary words. Only sixteen consecutive characters or more are found. */
  secrets: readonly string[];
}

const signatureWindow = 8;
const secretWindow = 16;

/** Converts to lower case and removes separators, so that case, padding, base64url and `AB:CD` make no difference. */
const alphanumericOf = (text: string): string => text.replace(/[^\da-z]/gi, "").toLowerCase();

/** Collects the likely forms of an echo: as sent, in hexadecimal, base64 or character codes, and reversed. */
function echoWindows({ signatures, secrets }: Confidential): EchoWindows {
  const windows: EchoWindows = new Map();
  for (const signature of signatures)
    for (const text of [signature, signature.toLowerCase(), signature.toUpperCase()])
      addForms(windows, text, signatureWindow);
  for (const secret of secrets) addForms(windows, secret, secretWindow);
  return windows;
}

function addForms(windows: EchoWindows, text: string, length: number): void {
  const bytes = Buffer.from(text);
  addParts(windows, text, length);
  addParts(windows, bytes.toString("hex"), length);
  // Each character becomes two or three digits, so a part must be twice as long to be as specific.
  addParts(windows, bytes.join(""), 2 * length);
  for (const form of base64Forms(bytes)) addParts(windows, form, length);
  // Add the bytes that `text` encodes.
  const isHex = /^(?:[\da-f]{2})+$/i.test(text);
  const decoded = Buffer.from(text.replace(/^whsec_/, ""), isHex ? "hex" : "base64");
  if (decoded.length < signatureWindow) return;
  addParts(windows, decoded.toString("hex"), length);
  for (const form of base64Forms(decoded)) addParts(windows, form, length);
}

/** Encodes the bytes at each of the three offsets in a base64 group, without digits that depend on the bytes before. */
const base64Forms = (bytes: Buffer): string[] =>
  [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(before === 0 ? 0 : before + 1),
  );

function addParts(windows: EchoWindows, form: string, wanted: number): void {
  const text = alphanumericOf(form);
  const length = Math.min(wanted, text.length);
  // Parts this short occur in any string.
  if (length < signatureWindow) return;
  const known = windows.get(length) ?? new Set();
  windows.set(length, known);
  const backwards = [...text].reverse().join("");
  for (let from = 0; from + length <= text.length; from += 1) {
    known.add(text.slice(from, from + length));
    known.add(backwards.slice(from, from + length));
  }
}

const credentialHeaders = new Set(["authorization", "webhook-signature"]);

/** Extracts the digests and signatures from headers such as `hmac 0A1B…` and `v1,c2ln… v1,b3Ro…`, without the scheme. */
export const signaturesOf = (headers: Record<string, string>): string[] =>
  Object.entries(headers)
    .filter(([name]) => credentialHeaders.has(name.toLowerCase()))
    .flatMap(([, value]) => value.split(/[ ,]+/))
    .filter((part) => part !== "hmac" && part !== "v1");

/** Returns headers that are safe to show: only the scheme of a signature stays. */
export function redactSignatures(headers: Record<string, string>): Record<string, string> {
  const redact = (value: string): string => `${/^(?:hmac |v1,)/.exec(value)?.[0] ?? ""}***`;
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, credentialHeaders.has(name.toLowerCase()) ? redact(value) : value]),
  );
}
