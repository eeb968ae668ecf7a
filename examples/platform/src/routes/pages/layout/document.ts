import { assetPath } from "./assets.ts";
import { html, type Markup } from "./markup.ts";

export interface DocumentOptions {
  title: string;
  bodyClass: string | undefined;
  /** The path of the web app manifest. */
  manifest: string | undefined;
  /** The URL of the event stream that updates the page. */
  live?: string | undefined;
  body: Markup;
}

/** Renders a complete HTML document. */
export const htmlDocument = ({
  title,
  bodyClass,
  manifest,
  live,
  body,
}: DocumentOptions): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Offers</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml">
${
  manifest &&
  html`<link rel="manifest" crossorigin="use-credentials" href="${manifest}">
<meta name="theme-color" content="#0b6e5f">
`
}<link rel="stylesheet" href="${assetPath("styles.css")}">
<script type="module" src="${assetPath("pages.js")}"></script>
</head>
<body${bodyClass && html` class="${bodyClass}"`}${live && html` data-live-stream="${live}"`}>
<a class="skip" href="#main">Skip to content</a>
${body}
</body>
</html>`;
