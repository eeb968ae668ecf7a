/** Parts of confidential texts, as `alphanumericOf` writes them, by their length. */
export type EchoWindows = Map<number, Set<string>>;

/** What `maskEchoes` looks for: the credentials that were sent, and the secrets that they were made with. */
export interface Confidential {
  /** Digests and signatures in hexadecimal or base64. Parts of eight characters are found. */
  signatures: readonly string[];
  /** As people entered them, possibly with words that a response contains too. Parts of sixteen characters are found. */
  secrets: readonly string[];
}

const signatureWindow = 8;
const secretWindow = 16;

/** Lower case, without separators, so that case, padding, base64url and `AB:CD` make no difference. */
export const alphanumericOf = (text: string): string => text.replace(/[^\da-z]/gi, "").toLowerCase();

/** The likely forms of an echo: as it was sent, in hexadecimal, base64 or character codes, and reversed. */
export function echoWindows({ signatures, secrets }: Confidential): EchoWindows {
  const windows: EchoWindows = new Map();
  for (const signature of signatures)
    for (const text of [signature, signature.toLowerCase(), signature.toUpperCase()])
      addForms(windows, text, signatureWindow);
  for (const secret of secrets) addForms(windows, secret, secretWindow);
  return windows;
}

function addForms(windows: EchoWindows, text: string, length: number): void {
  const bytes = Buffer.from(text);
  add(windows, text, length);
  add(windows, bytes.toString("hex"), length);
  // Each character is two or three digits, so a part of the same information is longer.
  add(windows, bytes.join(""), 2 * length);
  for (const form of base64Forms(bytes)) add(windows, form, length);
  // The bytes that the text encodes.
  const isHex = /^(?:[\da-f]{2})+$/i.test(text);
  const decoded = Buffer.from(text.replace(/^whsec_/, ""), isHex ? "hex" : "base64");
  if (decoded.length < signatureWindow) return;
  add(windows, decoded.toString("hex"), length);
  for (const form of base64Forms(decoded)) add(windows, form, length);
}

/** Within other bytes it may begin at any of the three offsets of a group. Digits that depend on the bytes before it are cut. */
const base64Forms = (bytes: Buffer): string[] =>
  [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(before === 0 ? 0 : before + 1),
  );

function add(windows: EchoWindows, form: string, wanted: number): void {
  const text = alphanumericOf(form);
  const length = Math.min(wanted, text.length);
  // Any text contains parts as short as this.
  if (length < signatureWindow) return;
  const known = windows.get(length) ?? new Set();
  windows.set(length, known);
  const backwards = [...text].reverse().join("");
  for (let from = 0; from + length <= text.length; from += 1) {
    known.add(text.slice(from, from + length));
    known.add(backwards.slice(from, from + length));
  }
}
