import { html, type Markup } from "./markup.ts";

export interface FieldOptions {
  name: string;
  label: string;
  /** The value entered before, if the form is shown again. Never set for a secret. */
  value?: string | undefined;
  /** @default "text" */
  type?: "text" | "email" | "password" | "url" | "search" | "datetime-local";
  hint?: string;
  errors?: readonly string[] | undefined;
  required?: boolean;
  /** Whether the label of an optional input says so. @default true */
  saysOptional?: boolean;
  autocomplete?: string;
  placeholder?: string;
  /** Makes it a text area with this many rows. @default a single-line input */
  rows?: number;
  /** @default `name` */
  id?: string;
}

/** Renders a labelled input with its hint and errors. */
export function field(options: FieldOptions): Markup {
  const { name, label, value = "", type = "text", hint, errors, required, saysOptional = true } = options;
  const { autocomplete, placeholder, rows } = options;
  const id = options.id ?? name;
  const describedBy = [hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  const attributes = html`id="${id}" name="${name}"${required && html` required`}${
    autocomplete && html` autocomplete="${autocomplete}"`
  }${placeholder && html` placeholder="${placeholder}"`}${describedBy && html` aria-describedby="${describedBy}"`}${
    errors && html` aria-invalid="true"`
  }`;
  return html`
    <div class="field${errors && " wrong"}">
      <label for="${id}">${label}${!required && saysOptional && html` <span class="fine">optional</span>`}</label>
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${
        rows === undefined
          ? html`<input type="${type}" value="${value}" ${attributes}>`
          : html`<textarea rows="${rows}" ${attributes}>${value}</textarea>`
      }
      ${errors && fieldError(id, errors)}
    </div>`;
}

/** Renders an input's errors, which its `aria-describedby` refers to. */
export const fieldError = (id: string, errors: readonly string[]): Markup =>
  html`<p class="error" id="${id}-error"><strong>Please correct:</strong> ${errors.join(" ")}</p>`;

/** Renders the hidden input with a form's CSRF token. */
export const formTokenField = ({ formToken }: { formToken: string }): Markup =>
  html`<input type="hidden" name="formToken" value="${formToken}">`;
