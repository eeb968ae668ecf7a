import { html } from "hono/html";
import type { Markup } from "./markup.ts";

const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

const withSeconds = new Intl.DateTimeFormat("en-GB", {
  ...format.resolvedOptions(),
  second: "2-digit",
} as Intl.DateTimeFormatOptions);

/** A time for people, in UTC like all times of the contract. */
export function time(moment: Date | string, precision: "minutes" | "seconds" = "minutes"): Markup {
  const date = new Date(moment);
  const text = (precision === "seconds" ? withSeconds : format).format(date);
  return html`<time datetime="${date.toISOString()}">${text} UTC</time>`;
}

/** A time span; a common day is shown once. */
export function timeSpan(start: Date | string, end: Date | string): Markup {
  const [from, to] = [new Date(start), new Date(end)];
  return html`<span>${format.formatRange(from, to)} UTC</span>`;
}
