/** A JSON value that bytes choose, near a contract's: mutation of JSON text mostly breaks its syntax. */
export function madeValue(bytes: Uint8Array, names: readonly string[], texts: readonly string[]): unknown {
  let position = 0;
  const next = (below: number): number => (bytes[position++] ?? 0) % below;
  const text = (): string => {
    const whole = texts[next(texts.length)] ?? "";
    const [change, at] = [next(8), next(whole.length + 1)];
    if (change === 0) return whole.slice(0, at);
    if (change === 1) return whole.slice(0, at) + String.fromCharCode(next(256) * 256 + next(256)) + whole.slice(at);
    return whole;
  };
  const value = (depth: number): unknown => {
    const kind = next(depth > 6 ? 8 : 16);
    if (kind === 0) return null;
    if (kind === 1) return next(2) === 1;
    if (kind === 2) return next(256) - 128;
    if (kind === 3) return (next(256) * 2 ** 48 + next(256)) / 10 ** next(20);
    if (kind < 8) return text();
    if (kind < 11) return Array.from({ length: next(5) }, () => value(depth + 1));
    const name = () => (next(16) === 0 ? text() : (names[next(names.length)] ?? ""));
    return Object.fromEntries(Array.from({ length: next(2 + names.length) }, () => [name(), value(depth + 1)]));
  };
  return value(0);
}

/** Begins an input whose bytes choose a value; any other input is JSON text. */
const made = 1;

/** The JSON text of an input. */
export const readJsonText = (data: Buffer, names: readonly string[], texts: readonly string[]): string =>
  data[0] === made ? JSON.stringify(madeValue(data.subarray(1), names, texts)) : data.toString("latin1");
