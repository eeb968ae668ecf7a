import { html } from "hono/html";
import { field } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

export const redeliveryChoices = {
  dead: { label: "Failed", states: ["dead"] },
  acknowledged: { label: "Acknowledged", states: ["acknowledged"] },
  all: { label: "Both", states: ["dead", "acknowledged"] },
} as const;

export type RedeliveryChoice = keyof typeof redeliveryChoices;

/** The submitted form and its error. */
export interface RejectedRedelivery {
  since: string;
  which: RedeliveryChoice;
  /** The error of `since`. */
  error: string;
}

/** Redelivers all events since a time, for example after an outage of the receiver. */
export const redeliverManySection = (formToken: string, rejected?: RejectedRedelivery): Markup => html`
      <details class="code" id="redeliver-many"${rejected && html` open`}>
        <summary>Redeliver many</summary>
        <form method="post" action="/deliveries/redeliver" class="stack narrow">
          ${formTokenField({ formToken })}
          ${field({
            ...{ name: "since", label: "Events that happened since", type: "datetime-local", hint: "In UTC." },
            ...{ required: true, value: rejected?.since, errors: rejected && [rejected.error] },
          })}
          <fieldset>
            <legend>Which of them</legend>
            ${(Object.keys(redeliveryChoices) as RedeliveryChoice[]).map((name) => {
              const isChosen = name === (rejected?.which ?? "dead");
              return html`<label class="choice"><input type="radio" name="which" value="${name}"${isChosen && html` checked`}> ${redeliveryChoices[name].label}</label>`;
            })}
          </fieldset>
          <button>Redeliver</button>
        </form>
      </details>`;
