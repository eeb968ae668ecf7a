import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** A state in a word; the colour only underlines it. `hollow`: nothing has happened yet. */
export type Tone = "good" | "warn" | "bad" | "calm" | "hollow";

export const badge = (word: string, tone: Tone): Markup =>
  html`<span class="badge ${tone === "calm" ? "" : tone}">${word}</span>`;
