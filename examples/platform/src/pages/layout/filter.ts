import { html, type Markup } from "./markup.ts";

/** A query parameter that must be one of these; others have no effect. */
export const oneOf = <Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined =>
  values.find((value) => value === text);

/** The URL of a page with the parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Links of which one is current, for filters that are kept in the URL. */
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
