import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** The hidden CSRF token of a form. */
export const formTokenField = ({ formToken }: { formToken: string }): Markup =>
  html`<input type="hidden" name="formToken" value="${formToken}">`;
