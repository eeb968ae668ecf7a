import { html } from "hono/html";

/** Result of hono's `html` tag, which escapes all values that are not markup, against cross-site scripting (XSS). */
export type Markup = ReturnType<typeof html>;

export { html };
