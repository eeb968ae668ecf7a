import { html } from "hono/html";
import { redeliverMany } from "../../delivery/redeliver-many.ts";
import { instantField } from "../../http/instant-field.ts";
import { field } from "../frame/field.ts";
import { formTokenField } from "../frame/form-token.ts";
import { localInUtc } from "../frame/local-in-utc.ts";
import type { Markup } from "../frame/markup.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";

const choices = {
  dead: { words: "Those given up", states: ["dead"] },
  acknowledged: { words: "Those acknowledged", states: ["acknowledged"] },
  all: { words: "Both", states: ["dead", "acknowledged"] },
} as const;

/** Delivers all events of a time again: after an outage, or after a loss at the receiver. */
export const redeliverManyPart = (formToken: string): Markup => html`
      <details class="code" id="redeliver-many">
        <summary>Deliver many again</summary>
        <form method="post" action="/deliveries/redeliver" class="stack narrow">
          ${formTokenField({ formToken })}
          ${field({ name: "since", label: "Events that happened since", type: "datetime-local", required: true, hint: "In UTC." })}
          <fieldset>
            <legend>Which of them</legend>
            ${(Object.keys(choices) as (keyof typeof choices)[]).map(
              (name) =>
                html`<label class="choice"><input type="radio" name="which" value="${name}"${name === "dead" && html` checked`}> ${choices[name].words}</label>`,
            )}
          </fieldset>
          <button>Deliver again</button>
        </form>
      </details>`;

/** `POST /deliveries/redeliver` */
export const redeliverManyForm =
  (deps: PageDeps) =>
  async ({ who: { organisationId } }: PortalVisit, form: URLSearchParams): Promise<PageAnswer> => {
    const { data: since } = instantField.safeParse(localInUtc(form.get("since") ?? ""));
    const which = form.get("which") ?? "";
    if (since === undefined || !Object.hasOwn(choices, which))
      return { to: "/deliveries", notice: "Nothing was delivered again: say since when, such as 2099-05-01T16:00." };
    const { states } = choices[which as keyof typeof choices];
    const { redelivered, superseded } = await redeliverMany(deps, organisationId, { since, states });
    deps.wake();
    const left =
      superseded === 0 ? "" : ` ${superseded} were left alone, since a later response must stay the last word.`;
    return { to: "/deliveries", notice: `${redelivered} event(s) are delivered again.${left}` };
  };
