import { html } from "hono/html";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

/** Enables a disabled endpoint. */
export const enableForm = (formToken: string): Markup => html`
      <form method="post" action="/company/enable">
        ${formTokenField({ formToken })}
        <button>Check and enable</button>
      </form>`;
