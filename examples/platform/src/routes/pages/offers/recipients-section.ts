import type { OfferDetails, RecipientDetails } from "../../portal/offers/read-offers.ts";
import { type Column, dataTable } from "../layout/data-table.ts";
import { fieldError, formTokenField } from "../layout/field.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { PortalContext } from "../sections/portal-section.ts";

/** The submitted completion form. */
export interface Completion {
  selectedIds: readonly string[];
  errors: readonly string[];
}

/**
 * Renders recipients and their responses, updated live, with the completion form while the offer is open.
 *
 * @param links the links to other pages of recipients
 */
export function recipientsSection(
  context: PortalContext,
  offer: OfferDetails,
  { selectedIds, errors }: Completion,
  links: Markup | undefined,
): Markup {
  // `widthdrawn` is the contract's spelling.
  const isOpen = !offer.complete && !offer.widthdrawn;
  const table = recipientsTable(
    context.times,
    offer,
    isOpen ? (recipient) => selectableName(recipient, selectedIds) : ({ name }) => name,
  );
  return html`
    <section class="panel" id="recipients" data-live="offer" aria-labelledby="recipients-title">
      <header>
        <h2 id="recipients-title">Recipients</h2>
        <p id="recipients-count" role="status">${describeCounts(offer)}</p>
      </header>
      ${isOpen ? completionForm(context, offer, table, errors) : table}
      ${links}
      ${links && isOpen && html`<p class="fine">Applicants are listed first. Only workers on this page can be selected together.</p>`}
    </section>`;
}

const completionForm = (
  context: PortalContext,
  offer: OfferDetails,
  table: Markup,
  errors: Completion["errors"],
): Markup => html`
      <form method="post" action="/offers/${encodeURIComponent(offer.id)}/complete" class="stack" id="complete">
        ${formTokenField(context)}
        ${offer.responses.applied > 0 && html`<a class="skip-list" href="#complete-bar">Skip the list of recipients</a>`}
        ${table}
        ${
          offer.responses.applied === 0
            ? html`<p class="fine">No worker has applied yet. Select workers here once they have applied.</p>`
            : html`
        <div class="row act-bar" id="complete-bar" tabindex="-1">
          <strong data-selected hidden></strong>
          <button>Complete with selected workers…</button>
          <p class="fine">Select who gets the work. The next page asks for confirmation.</p>
        </div>`
        }
        ${errors.length > 0 && html`<div role="alert">${fieldError("workers", errors)}</div>`}
      </form>`;

const selectableName = ({ workerId, name, response }: RecipientDetails, selectedIds: readonly string[]): Markup => {
  if (response !== "applied") return html`<span class="not-selectable">${name}</span>`;
  const isSelected = selectedIds.includes(workerId);
  return html`<label class="choice"><input type="checkbox" name="worker" id="tick-${workerId}" value="${workerId}"${isSelected && html` checked`}> ${name}</label>`;
};

function recipientsTable(
  { time }: LocalTimes,
  offer: OfferDetails,
  nameCell: (recipient: RecipientDetails) => Markup | string,
): Markup {
  const outcomeColumn: Column<RecipientDetails> = {
    heading: "Outcome",
    phone: "below",
    cell: ({ confirmation }) => (confirmation === "" ? badge("Not chosen", "neutral") : badge("Gets the work", "good")),
  };
  return dataTable({
    caption: "Recipients and their responses",
    isCompact: true,
    rowId: ({ id }) => `recipient-${id}`,
    columns: [
      { heading: "Worker", cell: nameCell },
      { heading: "Response", cell: responseBadge, phone: "below" },
      { heading: "Since", cell: (recipient) => describeSince(recipient, time) },
      ...(offer.complete ? [outcomeColumn] : []),
      { heading: "Id", cell: ({ workerId }) => html`<code>${workerId}</code>` },
    ],
    rows: offer.recipients,
  });
}

function responseBadge({ response, openedAt, closedAt }: RecipientDetails): Markup {
  if (response === "applied") return badge("Applied", "good");
  if (response === "rejected") return badge("Rejected", "bad");
  if (closedAt !== null) return badge("Closed without a response", "warn");
  return openedAt === null ? badge("No response", "none") : badge("Opened", "warn");
}

function describeSince(
  { respondedAt, closedAt, openedAt }: RecipientDetails,
  time: LocalTimes["time"],
): Markup | string {
  const since = respondedAt ?? closedAt ?? openedAt;
  return since === null ? "–" : time(since);
}

const describeCounts = ({ responses: { applied, rejected, none } }: OfferDetails): string =>
  `${applied} applied, ${rejected} rejected, ${none} without a response`;
