import { html, type Markup } from "./markup.ts";

/** Returns the value of a query parameter if it is one of `values`. Returns undefined for any other value. */
export const parseOption = <Value extends string>(
  values: readonly Value[],
  text: string | undefined,
): Value | undefined => values.find((value) => value === text);

/** Builds a URL with a query. Omits the parameters that are undefined. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const definedEntries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return definedEntries.length === 0 ? path : `${path}?${new URLSearchParams(definedEntries)}`;
}

/** Renders links that set a filter in the URL, and marks the current one. */
export const linkBar = <Value>(
  label: string,
  values: readonly Value[],
  current: Value,
  toLink: (value: Value) => readonly [label: string, url: string],
): Markup => html`
          <nav aria-label="${label}"><ul class="bar">
            ${values.map((value) => {
              const [text, url] = toLink(value);
              return html`<li><a href="${url}"${value === current && html` aria-current="true"`}>${text}</a></li>`;
            })}
          </ul></nav>`;

interface FilterSelect {
  name: string;
  label: string;
  /** The labels of the options, keyed by value. */
  options: Readonly<Record<string, string>>;
  current: string | undefined;
  /** The label of the option that does not filter. @default no such option */
  anyLabel?: string;
}

/** Renders a labelled select for a filter. */
export const filterSelect = ({ name, label, options, current, anyLabel }: FilterSelect): Markup => html`
          <div class="field">
            <label for="${name}">${label}</label>
            <select id="${name}" name="${name}">
              ${anyLabel !== undefined && html`<option value="">${anyLabel}</option>`}
              ${Object.entries(options).map(([value, text]) => html`<option value="${value}"${value === current && html` selected`}>${text}</option>`)}
            </select>
          </div>`;

interface FilterInput {
  name: string;
  label: string;
  type: "search" | "date" | "datetime-local";
  value: string | undefined;
}

/** Renders a labelled, optional input for a filter. */
export const filterInput = ({ name, label, type, value }: FilterInput): Markup => html`
          <div class="field">
            <label for="${name}">${label}</label>
            <input type="${type}" id="${name}" name="${name}" value="${value ?? ""}" maxlength="200">
          </div>`;

/** Renders hidden inputs for the parameters that a form must preserve. */
export const hiddenParameters = (parameters: Record<string, string | undefined>): Markup =>
  html`${Object.entries(parameters).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}`;
