import { html } from "hono/html";
import type { CheckView } from "../../portal/save-profile.ts";
import { badge } from "../frame/badge.ts";
import type { Markup } from "../frame/markup.ts";

/** Both checks of a base address that was just entered: what was asked, what was answered, how long it took. */
export function checksPart(baseAddress: string, checks: readonly CheckView[]): Markup {
  const passed = checks.every((check) => check.passed);
  return html`
    <section class="panel" aria-labelledby="checks">
      <h2 id="checks">Checks of ${baseAddress}</h2>
      <p class="notice ${passed ? "good" : "bad"}" role="${passed ? "status" : "alert"}">
        ${passed ? "Both checks were answered with 200. The profile is saved." : "Nothing was saved. Both checks must be answered with 200."}
      </p>
      <ol class="attempts">${checks.map(checkItem)}</ol>
    </section>`;
}

const checkItem = (check: CheckView): Markup => html`
        <li class="${check.passed ? "good" : "bad"}">
          <h3>${check.method} ${check.path} ${badge(check.passed ? "Passed" : "Failed", check.passed ? "good" : "bad")}</h3>
          <p>${check.reason}</p>
          <p class="fine">${check.milliseconds} ms</p>
        </li>`;
