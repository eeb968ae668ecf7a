import type { Request } from "express";
import type { DeliveryFilter } from "../../../webhooks/find-deliveries.ts";
import {
  countRedeliverable,
  createRedeliveryTask,
  type Redeliverable,
  type RedeliverableState,
  type RedeliveryTask,
  readRedeliveryTasks,
  redeliverableStates,
} from "../../../webhooks/redelivery-tasks.ts";
import { formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { idempotencyField, submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { deliveriesUrl, type PageFilter, readFilter, toListFilter } from "./delivery-filter.ts";
import { eventNames, failureLabels, stateLabels } from "./delivery-labels.ts";

/** `GET /deliveries/redeliver?…`: asks for confirmation, with the number of events. Accepts the list filter, or an `id` per selected row. */
export const redeliverManyPage: PortalPage = (context) => renderConfirmation(context);

/** `POST /deliveries/redeliver?…`: starts redelivering the events that the confirmation page counted. */
export const handleRedeliverMany: PortalForm = async (context, form) => {
  const { deps, user, request } = context;
  const which = form.get("which");
  const lastSequence = Number(form.get("last"));
  const choice = choices.find((name) => name === which);
  if (choice === undefined || !Number.isSafeInteger(lastSequence))
    return { ...(await renderConfirmation(context)), status: 422 };
  const filter = readChosenFilter(context, choice);
  const redirect = await submitOnce(context, form, user.organisationId, async (trx) => {
    const total = await createRedeliveryTask(trx, user.organisationId, filter, lastSequence);
    return {
      to: deliveriesUrl(readFilter(request)),
      notice: `${formatCount(total, "event")} ${total === 1 ? "is" : "are"} being redelivered.`,
    };
  });
  deps.wakeRedeliveries();
  return redirect;
};

/** The choices of events to redeliver, if the filter does not select a state. */
const choices = [...redeliverableStates, "all"] as const;

/** The maximum number of rows that a user can select on a page of the list. */
const maxSelected = 50;

const readSelectedIds = ({ url }: Request): string[] =>
  new URLSearchParams(url.split("?")[1]).getAll("id").slice(0, maxSelected);

/** Reads a filter for the selected rows in any state. If no rows are selected, reads the list filter. */
function readListFilter({ request, times }: PortalContext): DeliveryFilter {
  const ids = readSelectedIds(request);
  if (ids.length > 0) return { ids };
  const { oldestFirst: _, ...filter } = toListFilter(readFilter(request), times);
  return filter;
}

/** Reads the filter. If it does not select a state, limits it to the chosen state. */
function readChosenFilter(context: PortalContext, choice: (typeof choices)[number]): DeliveryFilter {
  const filter = readListFilter(context);
  // `all` needs no condition, because events in other states cannot be redelivered.
  return choice === "all" || filter.state !== undefined ? filter : { ...filter, state: choice };
}

async function renderConfirmation(context: PortalContext): Promise<Page> {
  const { deps, user, request } = context;
  const pageFilter = readFilter(request);
  const hasSelection = readSelectedIds(request).length > 0;
  const redeliverable = await countRedeliverable(deps.store.db, user.organisationId, readListFilter(context));
  const { counts, total, lastSequence } = redeliverable;
  const backUrl = deliveriesUrl(pageFilter);
  const title = confirmationTitle(redeliverable);
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="${backUrl}">Deliveries</a></p>
        <h1>${title}</h1>
      </div>
    </header>
    <form method="post" action="${request.originalUrl}" class="panel">
      ${formTokenField(context)}
      ${idempotencyField()}
      <input type="hidden" name="last" value="${lastSequence}">
      <dl class="facts">
        <dt>Which</dt><dd>${hasSelection ? "the selected events" : describeFilter(pageFilter, context)}</dd>
        ${redeliverableStates.map((state) => html`<dt>${stateLabels[state]}</dt><dd>${counts[state]}</dd>`)}
      </dl>
      ${total === 0 ? html`<p>There are no settled events to redeliver. Pending events are attempted anyway.</p>` : eventChoice(redeliverable)}
      ${
        total > 0 &&
        html`<p class="fine">The oldest event is sent first. An event that was not acknowledged keeps its delivery id. An acknowledged event gets a new id, so your endpoint handles it again. Responses that a later response by the same worker has superseded are skipped.</p>`
      }
      <div class="row">
        ${total > 0 && html`<button>${listStates(redeliverable).length > 1 ? "Redeliver" : `Redeliver ${formatCount(total, "event")}`}</button>`}
        <a class="button quiet" href="${backUrl}">Back to the list</a>
      </div>
    </form>`;
  return { title, main };
}

function confirmationTitle(redeliverable: Redeliverable): string {
  if (redeliverable.total === 0) return "Nothing to redeliver";
  const count = formatCount(redeliverable.total, "event");
  return listStates(redeliverable).length > 1 ? "Redeliver events?" : `Redeliver ${count}?`;
}

/** Lists the states that the events have. */
const listStates = ({ counts }: Redeliverable): RedeliverableState[] =>
  redeliverableStates.filter((state) => counts[state] > 0);

function eventChoice(redeliverable: Redeliverable): Markup {
  const { counts, total } = redeliverable;
  const states = listStates(redeliverable);
  if (states.length === 1) return html`<input type="hidden" name="which" value="all">`;
  const choice = (name: (typeof choices)[number], label: string, count: number) =>
    html`<label class="choice"><input type="radio" name="which" value="${name}"${name === states[0] && html` checked`}> <span>${label}: ${formatCount(count, "event")}</span></label>`;
  return html`
      <fieldset>
        <legend>Which events</legend>
        ${states.map((state) => choice(state, stateLabels[state], counts[state]))}
        ${choice("all", "All", total)}
      </fieldset>`;
}

/** Describes the list filter in words. */
function describeFilter(pageFilter: PageFilter, { times }: PortalContext): string {
  const { state, type, status, error, text, from, until } = pageFilter;
  const { since: fromInstant, until: untilInstant } = toListFilter(pageFilter, times);
  const conditions = [
    state && stateLabels[state],
    type && eventNames[type],
    text && `worker, offer or id “${text}”`,
    // Leave out a time that a clock change skips, because the filter ignores it.
    fromInstant && from && `since ${from.replace("T", " ")}`,
    untilInstant && until && `before ${until.replace("T", " ")}`,
    (fromInstant ?? untilInstant) && `in ${times.timeZone}`,
    status && `last status ${status}`,
    error && `last error: ${failureLabels[error as keyof typeof failureLabels]}`,
  ].filter(Boolean);
  return conditions.length === 0 ? "all events" : conditions.join(", ");
}

/** How long the page shows a task after it finishes. */
const showFinishedMs = 10 * 60_000;

/** Renders the progress of redelivery tasks, updated live. */
export async function redeliveriesSection({ deps, user, times }: PortalContext): Promise<Markup> {
  const since = new Date(deps.now().getTime() - showFinishedMs);
  const tasks = await readRedeliveryTasks(deps.store, user.organisationId, since);
  return html`
      <div id="redeliveries" data-live="delivery" class="stack">${tasks.map(
        (task) => html`
        <section class="panel" aria-label="Redelivery started ${task.createdAt.toISOString()}">
          <p id="redelivery-${task.id}" role="status">${describeProgress(task)}</p>
          ${task.finishedAt === null && html`<progress max="${task.total}" value="${task.redelivered + task.skipped}" aria-label="Redelivered"></progress>`}
          <p class="fine">Started ${times.time(task.createdAt, "seconds")}. The list below shows the state of each event.</p>
        </section>`,
      )}</div>`;
}

function describeProgress({ total, redelivered, skipped, finishedAt }: RedeliveryTask): string {
  const skippedNote = skipped === 0 ? "" : ` ${skipped} skipped (superseded or redelivered in the meantime).`;
  if (finishedAt === null)
    return `Redelivering: ${redelivered + skipped} of ${formatCount(total, "event")}.${skippedNote}`;
  return `Redelivered: ${formatCount(redelivered, "event")}.${skippedNote}`;
}
