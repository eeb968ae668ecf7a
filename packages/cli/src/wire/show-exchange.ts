import { cut, type Mask, toPrintable } from "../terminal/output.ts";
import type { Address } from "./exchange.ts";
import type { WireResponse } from "./read-responses.ts";

/** The maximum number of characters of a request or response in a report. */
const maxTextLength = 1_200;

/** Formats a request for display. */
export const formatRequest = (sent: Buffer, mask: Mask): string =>
  shorten(toPrintable(mask(sent.toString("latin1", 0, maxTextLength * 2))), sent.length);

/** Formats a response for display: masked, printable and shortened. */
export function formatResponse(received: WireResponse | undefined, mask: Mask): string {
  if (!received) return "No response.";
  const { status, headers, body } = received;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  // The body was decoded as ISO 8859-1, but most bodies are encoded in UTF-8.
  const bodyText = Buffer.from(body, "latin1").toString();
  const text = [`HTTP/1.1 ${status}`, ...lines, "", bodyText].join("\n");
  // Mask more than is shown, because a secret at the end would otherwise be cut and not be recognised.
  const masked = mask(text.slice(0, maxTextLength * 2));
  return shorten(toPrintable(masked), text.length);
}

/** Shortens a string for display. If anything is left out, appends the size of the original, `byteCount`. */
const shorten = (text: string, byteCount: number): string =>
  // The callers cut a text to twice the maximum length.
  text.length > maxTextLength || byteCount > maxTextLength * 2
    ? `${cut(text, maxTextLength)}\n… ${byteCount.toLocaleString("en")} bytes in total`
    : text.trimEnd();

/** Matches a request head that curl sends unchanged. Any other request is sent as raw bytes. */
const plainHead = /^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n)+\r\n$/;

/** Matches the headers that curl adds itself. */
const curlHeader = /^(host|content-length|connection|user-agent|accept):/i;

/** A command for a larger request would fill the screen. */
const maxRequestBytes = 4_000;

/**
 * Returns a shell command that sends the same bytes: with curl if possible, otherwise with nc or openssl.
 *
 * @param mask replaces parts that must not be shown
 * @returns undefined for a large request
 */
export function toCommand(sent: Buffer, target: Address, mask: Mask): string | undefined {
  if (sent.length > maxRequestBytes) return undefined;
  const text = sent.toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n") + 4;
  const head = text.slice(0, headEnd);
  if (headEnd < 4 || !plainHead.test(head)) return toRawCommand(text, target, mask);
  const [requestLine = "", ...lines] = head.trimEnd().split("\r\n");
  const [method, path = ""] = requestLine.split(" ");
  const body = text.slice(headEnd);
  const isChunked = lines.some((line) => /^transfer-encoding:/i.test(line));
  const contentLength = lines.find((line) => /^content-length:/i.test(line))?.split(": ")[1];
  if (isChunked || (contentLength ?? "0") !== String(body.length)) return toRawCommand(text, target, mask);
  const otherHeaders = lines.filter((line) => !curlHeader.test(line));
  const host = lines.find((line) => /^host:/i.test(line))?.slice("host: ".length);
  const address = `${target.host}:${target.port}`;
  return [
    `curl -i --path-as-is -X ${method}${method === "HEAD" ? " --head" : ""}`,
    ...(host === address ? [] : [`-H ${quote(`Host: ${host}`)}`]),
    ...otherHeaders.map((line) => `-H ${quote(mask(line))}`),
    ...(contentLength === undefined ? [] : [`--data-binary ${quote(mask(body))}`]),
    quote(`${target.isSecure ? "https" : "http"}://${address}${path}`),
  ].join(" \\\n  ");
}

function toRawCommand(text: string, { host, port, isSecure }: Address, mask: Mask): string {
  const hostWithoutBrackets = host.replace(/^\[|\]$/g, "");
  const sendCommand = isSecure
    ? `openssl s_client -quiet -connect ${host}:${port}`
    : `nc ${hostWithoutBrackets} ${port}`;
  return `printf %b ${quote(escapeForPrintf(mask(text)))} | ${sendCommand}`;
}

const escapeForPrintf = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n")
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\0${character.charCodeAt(0).toString(8).padStart(3, "0")}`);

/** Quotes a string for a POSIX shell. A string that is not ASCII is escaped for printf. */
function quote(text: string): string {
  if (/^[\x20-\x7e\n]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"$(printf %b ${quote(escapeForPrintf(text))})"`;
}
