import { html } from "hono/html";
import type { FieldErrors } from "../../problem/problem-error.ts";
import { field } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

export interface RotationForm {
  errors: FieldErrors;
  formToken: string;
}

/** Rotates the secret. */
export const rotationForm = ({ errors, formToken }: RotationForm): Markup => html`
    <form method="post" action="/company/rotation" class="panel" id="rotation">
      <h2>Rotate the secret</h2>
      <p class="hint">First add the new secret to your endpoint, beside the old one. Then enter it here.</p>
      ${formTokenField({ formToken })}
      ${field({
        name: "secret",
        id: "new-secret",
        label: "New secret",
        type: "password",
        required: true,
        autocomplete: "off",
        errors: errors.get("secret"),
      })}
      <button class="quiet">Check and rotate</button>
    </form>`;
