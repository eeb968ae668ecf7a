import { html, type Markup } from "./markup.ts";

export interface FieldOptions {
  name: string;
  label: string;
  /** The previous input, if the form is shown again. Never set for a secret. */
  value?: string | undefined;
  /** @default "text" */
  type?: "text" | "email" | "password" | "url" | "search" | "datetime-local";
  hint?: string;
  errors?: readonly string[] | undefined;
  required?: boolean;
  /** Whether to mark the label of an input that is not required as optional. @default true */
  marksOptional?: boolean;
  autocomplete?: string;
  placeholder?: string;
  /** The number of rows of a text area. @default a single-line input */
  rows?: number;
  /** @default `name` */
  id?: string;
}

/** Renders a labelled input with its hint and errors. */
export function field(options: FieldOptions): Markup {
  const { name, label, value = "", type = "text", hint, errors, required, marksOptional = true } = options;
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
      <label for="${id}">${label}${!required && marksOptional && html` <span class="fine">optional</span>`}</label>
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
