import { html } from "hono/html";
import type { OfferDetails, RecipientDetails } from "../../portal/offers/offer-details.ts";
import { badge } from "../layout/badge.ts";
import { type Column, dataTable } from "../layout/data-table.ts";
import { fieldError } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import { idempotencyField } from "../routing/submit-once.ts";

export interface Completion {
  ticked: readonly string[];
  errors: readonly string[];
}

interface RecipientsView extends Completion {
  /** To those who are not shown. */
  links: Markup | undefined;
}

/** Who was addressed and what they answered, live; while the offer is open, with the way to complete it. */
export function recipientsSection(offer: OfferDetails, context: PortalContext, view: RecipientsView): Markup {
  const { ticked, errors, links } = view;
  const isOpen = !offer.complete && !offer.widthdrawn;
  const table = recipientsTable(offer, isOpen ? (one) => nameToTick(one, ticked) : ({ name }) => name);
  return html`
    <section class="panel" id="recipients" data-live="offer" aria-labelledby="recipients-title">
      <header>
        <h2 id="recipients-title">Recipients</h2>
        <p id="recipients-count" role="status">${countsOf(offer)}</p>
      </header>
      ${isOpen ? completionForm(offer, context, table, errors) : table}
      ${links}
      ${links && isOpen && html`<p class="fine">Those who applied come first. What is ticked counts for the part that is shown.</p>`}
    </section>`;
}

const completionForm = (
  offer: OfferDetails,
  context: PortalContext,
  table: Markup,
  errors: Completion["errors"],
): Markup => html`
      <form method="post" action="/offers/${encodeURIComponent(offer.id)}/complete" class="stack" id="complete">
        ${formTokenField(context)}
        ${idempotencyField(offer.id)}
        ${table}
        ${
          offer.responses.applied === 0
            ? html`<p class="fine">Nobody has applied yet. Once somebody has, tick here who gets the work.</p>`
            : html`
        <div class="row">
          <button>Complete with those ticked</button>
          <p class="fine">Tick who gets the work. Everybody is then told whether they were successful.</p>
        </div>`
        }
        ${errors.length > 0 && html`<div role="alert">${fieldError("workers", errors)}</div>`}
      </form>`;

const nameToTick = ({ workerId, name, response }: RecipientDetails, ticked: readonly string[]): Markup => {
  if (response !== "applied") return html`<span class="not-tickable">${name}</span>`;
  const isTicked = ticked.includes(workerId);
  return html`<label class="choice"><input type="checkbox" name="worker" id="tick-${workerId}" value="${workerId}"${isTicked && html` checked`}> ${name}</label>`;
};

function recipientsTable(offer: OfferDetails, nameCell: (one: RecipientDetails) => Markup | string): Markup {
  const outcome: Column<RecipientDetails> = {
    heading: "Outcome",
    cell: ({ confirmation }) => (confirmation === "" ? badge("Not chosen", "neutral") : badge("Gets the work", "good")),
  };
  return dataTable({
    caption: "Recipients and their responses",
    rowId: ({ id }) => `recipient-${id}`,
    columns: [
      { heading: "Worker", cell: nameCell },
      { heading: "Response", cell: responseOf },
      { heading: "Since", cell: sinceOf },
      ...(offer.complete ? [outcome] : []),
      { heading: "Id", cell: ({ workerId }) => html`<code>${workerId}</code>` },
    ],
    rows: offer.recipients,
  });
}

function responseOf({ response, openedAt, closedAt }: RecipientDetails): Markup {
  if (response === "applied") return badge("Applied", "good");
  if (response === "rejected") return badge("Rejected", "bad");
  if (closedAt !== null) return badge("Closed without an answer", "warn");
  return openedAt === null ? badge("No answer", "none") : badge("Looked at it", "warn");
}

function sinceOf({ respondedAt, closedAt, openedAt }: RecipientDetails): Markup | string {
  const since = respondedAt ?? closedAt ?? openedAt;
  return since === null ? "–" : time(since);
}

const countsOf = ({ responses: { applied, rejected, none } }: OfferDetails): string =>
  `${applied} applied, ${rejected} rejected, ${none} without an answer`;
