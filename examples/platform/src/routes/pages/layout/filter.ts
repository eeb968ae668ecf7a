import { html, type Markup } from "./markup.ts";

/** Returns the value of a query parameter if it is one of `values`; any other value is ignored. */
export const oneOf = <Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined =>
  values.find((value) => value === text);

/** Builds a page's URL with those parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Renders links that set a filter in the URL, and marks the current one. */
export const linkBar = <Value>(
  label: string,
  values: readonly Value[],
  current: Value,
  of: (value: Value) => readonly [words: string, address: string],
): Markup => html`
          <nav aria-label="${label}"><ul class="bar">
            ${values.map((value) => {
              const [words, address] = of(value);
              return html`<li><a href="${address}"${value === current && html` aria-current="true"`}>${words}</a></li>`;
            })}
          </ul></nav>`;

/** Renders a labelled select for a filter. */
export const filterSelect = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  current: string | undefined,
  any?: string,
): Markup => html`
          <div class="field">
            <label for="${name}">${label}</label>
            <select id="${name}" name="${name}">
              ${any !== undefined && html`<option value="">${any}</option>`}
              ${Object.entries(options).map(([value, words]) => html`<option value="${value}"${value === current && html` selected`}>${words}</option>`)}
            </select>
          </div>`;

/** Renders a labelled, optional input for a filter. */
export const filterInput = (
  name: string,
  label: string,
  type: "search" | "date" | "datetime-local",
  value: string | undefined,
): Markup => html`
          <div class="field">
            <label for="${name}">${label}</label>
            <input type="${type}" id="${name}" name="${name}" value="${value ?? ""}" maxlength="200">
          </div>`;

/** Renders hidden inputs for the parameters that a filter form keeps. */
export const hiddenParameters = (parameters: Record<string, string | undefined>): Markup =>
  html`${Object.entries(parameters).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}`;
