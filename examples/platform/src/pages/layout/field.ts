import { html } from "hono/html";
import type { Markup } from "./markup.ts";

export interface FieldOptions {
  name: string;
  label: string;
  /** What was typed, kept when the form is shown again. Never given for a secret. */
  value?: string | undefined;
  /** @default "text" */
  type?: "text" | "email" | "password" | "url" | "search" | "datetime-local";
  hint?: string;
  errors?: readonly string[] | undefined;
  required?: boolean;
  /** Whether the label says that it may be left empty. @default true */
  saysOptional?: boolean;
  autocomplete?: string;
  placeholder?: string;
  /** Of a text area; without it, it is one line. */
  rows?: number;
  /** @default `name` */
  id?: string;
}

/** A labelled input with what is wrong with it beside it. */
export function field(options: FieldOptions): Markup {
  const { name, label, value = "", type = "text", hint, errors, required, saysOptional = true } = options;
  const { autocomplete, placeholder, rows } = options;
  const id = options.id ?? name;
  const described = [hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  const attributes = html`id="${id}" name="${name}"${required && html` required`}${
    autocomplete && html` autocomplete="${autocomplete}"`
  }${placeholder && html` placeholder="${placeholder}"`}${described && html` aria-describedby="${described}"`}${
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

/** What is wrong with an input; it is named by `aria-describedby`. */
export const fieldError = (id: string, errors: readonly string[]): Markup =>
  html`<p class="error" id="${id}-error"><strong>Please correct:</strong> ${errors.join(" ")}</p>`;
