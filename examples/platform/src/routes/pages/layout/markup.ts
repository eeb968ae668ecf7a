import { html } from "hono/html";

/** HTML from hono's `html` tag, which escapes all values that are not markup, to prevent cross-site scripting (XSS). */
export type Markup = ReturnType<typeof html>;

export { html };
