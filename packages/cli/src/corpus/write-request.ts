import type { CorpusRequest, Text } from "./corpus.ts";

type Values = Readonly<Record<string, string>>;

/** `{{name}}`, or `{{name[2:5]}}` for some of its characters. */
const placeholder = /\{\{([A-Za-z.]+)(?:\[(\d+):(\d*)\])?\}\}/g;

/**
 * Puts values in the place of a text's placeholders, also of those that the values bring with them.
 *
 * @throws {Error} for a name that has no value: a slip in the corpus must not be sent as a hostile request
 */
export function fillIn(text: string, values: Values): string {
  return text.replace(placeholder, (_, name: string, start?: string, end?: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The corpus names {{${name}}}, which has no value.`);
    const whole = fillIn(value, values);
    return start === undefined ? whole : whole.slice(Number(start), end ? Number(end) : undefined);
  });
}

/** The bytes of a request's body, which is UTF-8. */
export const writeBody = (request: CorpusRequest, values: Values): Buffer<ArrayBuffer> =>
  Buffer.concat(writeBodyParts(request, values));

/** In parts, each copied once: some bodies have 16 MiB. */
function writeBodyParts({ body = "", bodyBase64 }: CorpusRequest, values: Values): Buffer[] {
  if (bodyBase64 !== undefined) return [Buffer.from(fillIn(unroll(bodyBase64), values), "base64")];
  return (typeof body === "string" ? [body] : body).map((part) => {
    if (typeof part === "string") return Buffer.from(fillIn(part, values));
    const once = Buffer.from(fillIn(part.repeat, values));
    return Buffer.alloc(once.length * part.times, once);
  });
}

/** The bytes of a request. The head is ISO 8859-1, so that every byte can be written down. */
export function writeRequest(request: CorpusRequest, values: Values, isLast: boolean): Buffer<ArrayBuffer> {
  const fill = (text: Text) => fillIn(unroll(text), values);
  if (request.raw !== undefined) return Buffer.from(fill(request.raw), "latin1");
  const { method = "GET", target = "/test/auth", version = "HTTP/1.1", headers = [], without = [] } = request;
  const body = writeBodyParts(request, values);
  const lines = headers.map((header) => fill(typeof header === "string" ? header : `${header[0]}: ${fill(header[1])}`));
  const isLeftOut = (name: string) =>
    without.includes(name) || lines.some((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  const hasBody = request.body !== undefined || request.bodyBase64 !== undefined;
  if (!isLeftOut("Host")) lines.unshift(`Host: ${values.host}`);
  if (hasBody && !isLeftOut("Content-Length") && !isLeftOut("Transfer-Encoding"))
    lines.push(`Content-Length: ${body.reduce((sum, { length }) => sum + length, 0)}`);
  if (isLast && !isLeftOut("Connection")) lines.push("Connection: close");
  const filled = fill(target);
  const start = `${fill(method)} ${filled.startsWith("/") ? `${values.base}${filled}` : filled} ${version}`;
  return Buffer.concat([Buffer.from(`${[start, ...lines].join("\r\n")}\r\n\r\n`, "latin1"), ...body]);
}

const unroll = (text: Text): string =>
  typeof text === "string"
    ? text
    : text.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");
