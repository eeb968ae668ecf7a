import { type Confidential, type EchoWindows, echoWindows } from "./echo-windows.ts";

/** What stands where an echo was. */
const mask = "***";

/** `%41`, `&#65;`, `&#x41;`, `\u0041`, `\u{41}` and `\x41` are all an A. */
const escapes = /%([\da-f]{2})|&#(\d{1,7});?|&#x([\da-f]{1,6});?|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})/gi;
/** How often one escape may be within another, as `%2541`. */
const maxNesting = 3;

/** By shape, whoever it belongs to: a digest of another attempt, or one that the receiver computed itself. */
const digests = /(?<![\da-z])[\da-f]{64}(?![\da-z])|(?<![\da-z])v1a?,[\da-z+/_-]{40,}={0,2}/gi;

/** Text with the place that each of its characters has in the bytes. */
interface Reading {
  text: string;
  starts: number[];
  ends: number[];
}

/**
 * A response without what it repeats of the request's signatures and secrets (D-49): an endpoint that echoes its requests
 * would have us store and show what proves to be us. Found in whole or in part, in any case, escaped, in hexadecimal or base64.
 *
 * @param body may be cut anywhere
 */
export function maskEchoes(body: Buffer, confidential: Confidential): Buffer {
  if (body.length === 0) return body;
  // One character for each byte, so that a place in the text is one in the body.
  const text = body.toString("latin1");
  const masked = new Uint8Array(body.length);
  for (const { index, 0: found } of text.matchAll(digests)) masked.fill(1, index, index + found.length);
  const windows = echoWindows(confidential);
  let reading: Reading | undefined = readingOf(text);
  for (let depth = 0; reading !== undefined && depth <= maxNesting; depth += 1) {
    markEchoes(reading, windows, masked);
    reading = unescaped(reading);
  }
  return masked.includes(1) ? Buffer.from(withMasks(text, masked), "latin1") : body;
}

function readingOf(text: string): Reading {
  const starts = Array.from(text, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** With one layer of escapes taken away; undefined when there is none. */
function unescaped({ text, starts, ends }: Reading): Reading | undefined {
  const next: Reading = { text: "", starts: [], ends: [] };
  let done = 0;
  const copyUntil = (end: number): void => {
    next.text += text.slice(done, end);
    for (let index = done; index < end; index += 1) push(next, starts[index], ends[index]);
  };
  for (const { index, 0: found, ...groups } of text.matchAll(escapes)) {
    const [, percent, decimal, ...hex] = [found, ...Object.values(groups)];
    const code = decimal === undefined ? Number.parseInt(percent ?? hex.find(Boolean) ?? "", 16) : Number(decimal);
    copyUntil(index);
    next.text += code < 0x100 ? String.fromCharCode(code) : "?";
    push(next, starts[index], ends[index + found.length - 1]);
    done = index + found.length;
  }
  if (done === 0) return undefined;
  copyUntil(text.length);
  return next;
}
