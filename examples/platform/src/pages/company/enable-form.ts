import { html } from "hono/html";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

/** Switches an endpoint on again as it is. */
export const enableForm = (formToken: string): Markup => html`
      <form method="post" action="/company/enable">
        ${formTokenField({ formToken })}
        <button>Check and switch on</button>
      </form>`;
