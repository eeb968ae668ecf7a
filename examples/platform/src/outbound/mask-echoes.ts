import { type Confidential, type EchoWindows, echoWindows } from "./echo-windows.ts";

/** What stands where an echo was. */
const mask = "***";

/** `%41`, `&#65;`, `&#x41;`, `\u0041`, `\u{41}` and `\x41` are all an A. */
const escapes =
  /%([\da-f]{2})|&#(\d{1,7});?|&#x([\da-f]{1,6});?|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})/gi;
/** How often one escape may be within another, as `%2541`. */
const maxNesting = 3;

/** By shape: also a digest of another attempt, or one that the receiver computed itself. */
const digests = /(?<![\da-z])[\da-f]{64}(?![\da-z])|(?<![\da-z])v1a?,[\da-z+/_-]{40,}={0,2}/gi;

/** Of a response that is cut: fewer characters than a window has, at its very end. */
const minCut = 4;

/** Text, and the place that each of its characters has in the body. */
interface Reading {
  text: string;
  starts: number[];
  ends: number[];
}

/**
 * A response without what it repeats of the request's signatures and secrets (D-49): an endpoint that echoes its requests
 * would have us store and show what proves to be us. Found in whole or in part, in any case, escaped, in hexadecimal or base64.
 *
 * @param isCut whether the body went on: then its end may be the beginning of an echo
 */
export function maskEchoes(body: Buffer, confidential: Confidential, isCut = false): Buffer {
  if (body.length === 0) return body;
  // One character for each byte, so that a place in the text is one in the body.
  const text = body.toString("latin1");
  const masked = new Uint8Array(body.length);
  for (const { index, 0: found } of text.matchAll(digests)) masked.fill(1, index, index + found.length);
  const windows = echoWindows(confidential);
  let reading: Reading | undefined = readingOf(text);
  for (let depth = 0; reading !== undefined && depth <= maxNesting; depth += 1) {
    markEchoes(alphanumericsOf(reading), windows, masked, isCut);
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
  const parts: string[] = [];
  const next = { starts: [] as number[], ends: [] as number[] };
  let done = 0;
  const copyUntil = (end: number): void => {
    parts.push(text.slice(done, end));
    for (; done < end; done += 1) {
      next.starts.push(starts[done] ?? 0);
      next.ends.push(ends[done] ?? 0);
    }
  };
  for (const { index, 0: found, 1: hex, 2: decimal, 3: entity, 4: unicode, 5: braced, 6: byte } of text.matchAll(
    escapes,
  )) {
    const code =
      decimal === undefined ? Number.parseInt(hex ?? entity ?? unicode ?? braced ?? byte ?? "", 16) : Number(decimal);
    copyUntil(index);
    parts.push(code < 0x80 ? String.fromCharCode(code) : "?");
    next.starts.push(starts[index] ?? 0);
    done = index + found.length;
    next.ends.push(ends[done - 1] ?? 0);
  }
  if (done === 0) return undefined;
  copyUntil(text.length);
  return { text: parts.join(""), ...next };
}

function alphanumericsOf({ text, starts, ends }: Reading): Reading {
  const kept = { starts: [] as number[], ends: [] as number[] };
  const parts: string[] = [];
  for (const { index, 0: run } of text.matchAll(/[\da-z]+/gi)) {
    parts.push(run);
    for (let at = index; at < index + run.length; at += 1) {
      kept.starts.push(starts[at] ?? 0);
      kept.ends.push(ends[at] ?? 0);
    }
  }
  return { text: parts.join("").toLowerCase(), ...kept };
}

function markEchoes({ text, starts, ends }: Reading, windows: EchoWindows, masked: Uint8Array, isCut: boolean): void {
  const mark = (from: number, to: number): void => {
    // Character by character: what lies between them, such as the quotes of JSON, stays.
    for (let at = from; at < to; at += 1) masked.fill(1, starts[at], ends[at]);
  };
  for (const [length, known] of windows) {
    for (let from = 0; from + length <= text.length; from += 1)
      if (known.has(text.slice(from, from + length))) mark(from, from + length);
    if (!isCut) continue;
    const begins = [...known];
    for (let cut = Math.min(length, text.length) - 1; cut >= minCut; cut -= 1)
      if (begins.some((window) => window.startsWith(text.slice(-cut)))) mark(text.length - cut, text.length);
  }
}

/** One mask for all that lies side by side. */
function withMasks(text: string, masked: Uint8Array): string {
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
