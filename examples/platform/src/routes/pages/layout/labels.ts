import { html, type Markup } from "./markup.ts";

/** The colour of a badge, whose text carries the meaning. `none` means that nothing has happened yet. */
export type Tone = "good" | "warn" | "bad" | "neutral" | "none";

export const badge = (word: string, tone: Tone): Markup =>
  html`<span class="badge ${tone === "neutral" ? "" : tone}">${word}</span>`;

/** Formats a count, such as `1 worker` or `2 workers`. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;
