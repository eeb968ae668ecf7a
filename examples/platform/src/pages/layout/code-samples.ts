import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** One act in the two ways a program does it. */
export interface CodeSamples {
  /** Of the element; unique on its page. */
  id: string;
  /** The act, such as `Create this offer`. */
  act: string;
  /** With `@offers/client`. */
  client: string;
  curl: string;
}

/** Beside what a person does here: the same from a program, to be copied. */
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

/** As one word of a POSIX shell, whatever is in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
