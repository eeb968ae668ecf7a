import { html } from "hono/html";
import { field } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

export const redeliveryChoices = {
  dead: { words: "Those given up", states: ["dead"] },
  acknowledged: { words: "Those acknowledged", states: ["acknowledged"] },
  all: { words: "Both", states: ["dead", "acknowledged"] },
} as const;

export type RedeliveryChoice = keyof typeof redeliveryChoices;

/** What was sent and refused. */
export interface RefusedRedelivery {
  since: string;
  which: RedeliveryChoice;
  /** What is wrong with `since`. */
  error: string;
}

/** Delivers all events of a time again: after an outage, or after a loss at the receiver. */
export const redeliverManySection = (formToken: string, refused?: RefusedRedelivery): Markup => html`
      <details class="code" id="redeliver-many"${refused && html` open`}>
        <summary>Deliver many again</summary>
        <form method="post" action="/deliveries/redeliver" class="stack narrow">
          ${formTokenField({ formToken })}
          ${field({
            ...{ name: "since", label: "Events that happened since", type: "datetime-local", hint: "In UTC." },
            ...{ required: true, value: refused?.since, errors: refused && [refused.error] },
          })}
          <fieldset>
            <legend>Which of them</legend>
            ${(Object.keys(redeliveryChoices) as RedeliveryChoice[]).map((name) => {
              const isChosen = name === (refused?.which ?? "dead");
              return html`<label class="choice"><input type="radio" name="which" value="${name}"${isChosen && html` checked`}> ${redeliveryChoices[name].words}</label>`;
            })}
          </fieldset>
          <button>Deliver again</button>
        </form>
      </details>`;
