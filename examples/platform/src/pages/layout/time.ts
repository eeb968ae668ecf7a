import { html, type Markup } from "./markup.ts";

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

/** Adds the zone to `2099-05-01T16:00` of a `datetime-local` input, which is labelled as UTC. Other text is unchanged. */
export function localInUtc(local: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return `${local}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(local) ? `${local}Z` : local;
}
