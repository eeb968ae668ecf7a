import type { Evidence } from "../probe/collect-findings.ts";
import { printable } from "../terminal/printable.ts";

/** How much of a message a report shows. */
const maxShown = 1_200;

/** A request as sent, for a reader. */
export const showRequest = (sent: Buffer, mask: (text: string) => string): string =>
  shorten(printable(mask(sent.toString("latin1", 0, maxShown * 2))), sent.length);

/** A response as received, for a reader. */
export function showResponse(received: Evidence["received"], mask: (text: string) => string): string {
  if (!received) return "No response.";
  const { status, headers, body } = received;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/1.1 ${status}`, ...lines, "", Buffer.from(body, "latin1").toString()].join("\n");
  return shorten(printable(mask(text.slice(0, maxShown * 2))), text.length);
}

const shorten = (text: string, bytes: number): string =>
  text.length > maxShown || bytes > maxShown * 2
    ? `${text.slice(0, maxShown)}\n… ${bytes.toLocaleString("en")} bytes in all`
    : text.trimEnd();
