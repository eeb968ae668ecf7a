import { printable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import type { Arrival } from "./create-listener.ts";

const maxBodyShown = 2_000;

/** One request for a person: a line, the reason of a refusal, and the body. */
export function showArrival(arrival: Arrival, mask: (text: string) => string, style: Style): string {
  const { method, target, status, verification, durationMs, failure, body } = arrival;
  const color = status >= 200 && status < 300 ? "green" : "red";
  const time = style("dim", `${Math.round(durationMs)} ms`);
  const lines = [
    `${style("bold", `${method} ${printable(mask(target)).slice(0, 200)}`)}  ${style(color, String(status))}  ${describe(arrival, style)}  ${time}`,
  ];
  if (verification && !verification.ok) lines.push(`  ${verification.advice}`);
  if (failure !== undefined) lines.push(style("red", `  ${failure}`));
  if (body.length > 0) lines.push(showBody(body, mask));
  return lines.join("\n");
}

function describe({ verification }: Arrival, style: Style): string {
  if (!verification) return style("dim", "not signed, as GET /test is");
  if (!verification.ok) return style("red", `refused: ${verification.reason}`);
  return style("green", `verified: ${verification.variant}, ${verification.ageSeconds.toFixed(1)} s old`);
}

function showBody(body: Buffer, mask: (text: string) => string): string {
  const text = mask(body.subarray(0, maxBodyShown * 4).toString());
  const shown = printable(indentJson(text)).slice(0, maxBodyShown);
  const rest = body.length > maxBodyShown ? `\n… ${body.length.toLocaleString("en")} bytes in all` : "";
  return `${shown}${rest}`.replaceAll(/^/gm, "  ");
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** One request for a program, in one line. Header values are left out: they hold signatures. */
export function toJsonLine(arrival: Arrival, mask: (text: string) => string): string {
  const { method, target, status, verification, durationMs, failure, body } = arrival;
  const shown = { method, target: mask(target), status, durationMs: Math.round(durationMs) };
  return JSON.stringify({ ...shown, verification: verification ?? null, failure, body: mask(body.toString()) });
}
