import { html, type Markup } from "./markup.ts";

/** A badge's colour. The badge's text alone conveys the meaning. `none` means that nothing has happened yet. */
export type Tone = "good" | "warn" | "bad" | "neutral" | "none";

export const badge = (text: string, tone: Tone): Markup =>
  html`<span class="badge ${tone === "neutral" ? "" : tone}">${text}</span>`;

/** Formats a count, such as `1 worker` or `2 workers`. */
export const counted = (count: number, singular: string): string =>
  `${count} ${count === 1 ? singular : `${singular}s`}`;
