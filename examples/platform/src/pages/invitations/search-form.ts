import { html } from "hono/html";
import type { Markup } from "../frame/markup.ts";

/** Asks all organisations that implement suggestions. A GET: it changes nothing, and may be looked at again. */
export const searchForm = (filter = ""): Markup => html`
  <form method="get" action="/invitations/search" class="search" role="search">
    <label for="filter">Narrow by name, skill or role <span class="fine">optional</span></label>
    <div class="row">
      <input type="search" id="filter" name="filter" value="${filter}" maxlength="500">
      <button>Search</button>
    </div>
  </form>`;
