import { html } from "hono/html";
import type { Markup } from "./markup.ts";

/** The hidden field that every form has which changes something. */
export const formTokenField = ({ formToken }: { formToken: string }): Markup =>
  html`<input type="hidden" name="formToken" value="${formToken}">`;
