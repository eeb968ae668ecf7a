import type { html } from "hono/html";

/** What the `html` tag of hono makes: every value in it is escaped, unless it is markup itself. */
export type Markup = ReturnType<typeof html>;
