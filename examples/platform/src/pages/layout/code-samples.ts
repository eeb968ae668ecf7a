import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** The same action with the client and with curl. */
export interface CodeSamples {
  /** Element id, unique on the page. */
  id: string;
  /** Such as `Create this offer`. */
  act: string;
  /** Code with `@offers/client`. */
  client: string;
  curl: string;
}

/** Code to copy, for the action of a page. */
export const codeSamples = ({ id, act, client, curl }: CodeSamples): Markup => html`
  <details class="code" id="${id}">
    <summary>${act} from a program</summary>
    <div class="samples">
      ${sample(`${id}-client`, "TypeScript, @offers/client", client)}
      ${sample(`${id}-curl`, "curl", curl)}
    </div>
    <p class="fine">Both read your organisation's API key from the variable OFFERS_API_KEY.</p>
  </details>`;

const sample = (id: string, title: string, code: string): Markup => html`
    <figure class="sample">
      <figcaption>${title} <button type="button" class="quiet small" data-copy="${id}" aria-label="Copy: ${title}" hidden>Copy</button></figcaption>
      <pre tabindex="0" aria-label="${title}"><code id="${id}">${code}</code></pre>
    </figure>`;

/** Quotes text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
