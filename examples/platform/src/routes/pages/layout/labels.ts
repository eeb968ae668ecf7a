import { html, type Markup } from "./markup.ts";

/** The colour of a badge. Its text must convey the meaning without the colour. `none` means that nothing has happened yet. */
export type Tone = "good" | "warn" | "bad" | "neutral" | "none";

export const badge = (text: string, tone: Tone): Markup =>
  html`<span class="badge ${tone === "neutral" ? "" : tone}">${text}</span>`;

/** Formats a count, such as `1 worker` or `2 workers`. */
export const formatCount = (count: number, singular: string): string =>
  `${count} ${count === 1 ? singular : `${singular}s`}`;
