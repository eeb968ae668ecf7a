import { type Mask, toPrintable } from "../terminal/output.ts";
import type { Address } from "./exchange.ts";
import type { WireResponse } from "./read-responses.ts";

/** How many characters of a request or response a report shows. */
const maxShown = 1_200;

/** Formats a request for display. */
export const formatRequest = (sent: Buffer, mask: Mask): string =>
  shorten(toPrintable(mask(sent.toString("latin1", 0, maxShown * 2))), sent.length);

/** Formats a response for display. */
export function formatResponse(received: WireResponse | undefined, mask: Mask): string {
  if (!received) return "No response.";
  const { status, headers, body } = received;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/1.1 ${status}`, ...lines, "", Buffer.from(body, "latin1").toString()].join("\n");
  return shorten(toPrintable(mask(text.slice(0, maxShown * 2))), text.length);
}

const shorten = (text: string, bytes: number): string =>
  text.length > maxShown || bytes > maxShown * 2
    ? `${text.slice(0, maxShown)}\n… ${bytes.toLocaleString("en")} bytes in total`
    : text.trimEnd();

/** Matches the head of a request that curl sends unchanged. Any other request is sent as raw bytes. */
const plainHead = /^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n)+\r\n$/;

const headersFromCurl = /^(host|content-length|connection|user-agent|accept):/i;

/** A longer command would fill the screen. */
const maxCommandBytes = 4_000;

/**
 * Returns a shell command that sends the same bytes: with curl if possible, otherwise the raw bytes with nc or openssl.
 *
 * @param mask replaces parts that must not be shown
 */
export function toCommand(sent: Buffer, target: Address, mask: Mask): string | undefined {
  if (sent.length > maxCommandBytes) return undefined;
  const text = sent.toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n") + 4;
  const head = text.slice(0, headEnd);
  if (headEnd < 4 || !plainHead.test(head)) return rawCommand(text, target, mask);
  const [start = "", ...lines] = head.trimEnd().split("\r\n");
  const [method, path = ""] = start.split(" ");
  const body = text.slice(headEnd);
  const isFramed = lines.every((line) => !/^transfer-encoding:/i.test(line));
  const contentLength = lines.find((line) => /^content-length:/i.test(line))?.split(": ")[1];
  if (!isFramed || (contentLength ?? "0") !== String(body.length)) return rawCommand(text, target, mask);
  const otherHeaders = lines.filter((line) => !headersFromCurl.test(line));
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

function rawCommand(text: string, { host, port, isSecure }: Address, mask: Mask): string {
  const name = host.replace(/^\[|\]$/g, "");
  const pipe = isSecure ? `openssl s_client -quiet -connect ${host}:${port}` : `nc ${name} ${port}`;
  return `printf %b ${quote(escapeForPrintf(mask(text)))} | ${pipe}`;
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
