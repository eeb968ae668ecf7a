import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** The colour of a badge; its text carries the meaning. `none`: nothing has happened yet. */
export type Tone = "good" | "warn" | "bad" | "neutral" | "none";

export const badge = (word: string, tone: Tone): Markup =>
  html`<span class="badge ${tone === "neutral" ? "" : tone}">${word}</span>`;
