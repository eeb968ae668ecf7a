import { fillPath } from "../../../endpoint-client/create-endpoint-client.ts";
import { ProblemError } from "../../../http/problem.ts";
import { webhookCall } from "../../../webhooks/attempt-delivery.ts";
import { type ReadAttempt, type ReadDelivery, readAttempts, readDelivery } from "../../portal/deliveries/deliveries.ts";
import { deliveryNotFound, redeliverOne, retryOne } from "../../portal/deliveries/redeliver.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { attemptLabel, deliveryState, eventLabel, nextAttempt } from "./delivery-labels.ts";

const maxAttempts = 100;

/** `GET /deliveries/{id}` */
export const deliveryPage: PortalPage = async (context) => {
  const { deps, user, id } = context;
  const delivery = await readDelivery(deps, user.organisationId, id);
  if (delivery === undefined) throw deliveryNotFound();
  const attempts = (await readAttempts(deps, [id])).reverse().slice(0, maxAttempts);
  const title = eventLabel(delivery);
  const main = html`
    <div class="stack" id="delivery" data-live="delivery">
      <header class="page-head">
        <div>
          <p class="crumb"><a href="/deliveries">Deliveries</a></p>
          <h1>${title}</h1>
          <p class="row" id="delivery-state" role="status">${deliveryState(delivery)}</p>
        </div>
        ${actionOf(context, delivery)}
      </header>
      <section class="panel" aria-label="Delivery">${facts(context, delivery)}</section>
      <section class="panel" aria-labelledby="request">
        <h2 id="request">Request</h2>
        ${requestOf(delivery)}
      </section>
      <section class="panel" aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        ${attempts.length === 0 ? html`<p>None yet.</p>` : html`<ol class="attempts">${attempts.map((one) => attemptItem(context.times, one))}</ol>`}
      </section>
    </div>`;
  return { title, main };
};

/** `POST /deliveries/{id}/redeliver`: redirects to the redelivery. */
export const redeliverForm: PortalForm = async ({ deps, user, id }) => {
  try {
    const redelivery = await redeliverOne(deps, user, id);
    return { to: `/deliveries/${encodeURIComponent(redelivery.id)}`, notice: "The event is redelivered." };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 409) throw error;
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice: error.message };
  }
};

/** `POST /deliveries/{id}/retry` */
export const retryForm: PortalForm = async ({ deps, user, id }) => {
  try {
    const retry = await retryOne(deps, user, id);
    const notice =
      retry.id === id
        ? "The event is being attempted now."
        : "The earlier response, for which this one waits, is being attempted now.";
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 409) throw error;
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice: error.message };
  }
};

/** What a person can do about the delivery in its state. */
function actionOf(context: PortalContext, { id, state }: ReadDelivery): Markup {
  if (state === "held") return html`<a class="button quiet" href="/company#health">Enable the endpoint…</a>`;
  const [action, label] = state === "pending" ? ["retry", "Retry now"] : ["redeliver", "Redeliver"];
  return html`
          <form method="post" action="/deliveries/${id}/${action}">
            ${formTokenField(context)}
            <button>${label}</button>
          </form>`;
}

const facts = ({ times, deps }: PortalContext, delivery: ReadDelivery): Markup => html`
          <dl class="facts">
            <dt>Happened</dt><dd>${times.time(delivery.createdAt, "seconds")}</dd>
            ${delivery.offerId && html`<dt>Offer</dt><dd><a href="/offers/${encodeURIComponent(delivery.offerId)}">${delivery.offerTitle}</a></dd>`}
            <dt>Attempts</dt><dd>${delivery.attempts}</dd>
            <dt>Next attempt</dt><dd>${nextAttempt(times, delivery, deps.now())}</dd>
            ${delivery.settledAt && html`<dt>Settled</dt><dd>${times.time(delivery.settledAt, "seconds")}</dd>`}
            ${delivery.redeliveryOf && html`<dt>Redelivery of</dt><dd><a href="/deliveries/${delivery.redeliveryOf}">an earlier delivery</a></dd>`}
            <dt>Delivery id</dt><dd><code>${delivery.id}</code></dd>
          </dl>`;

function requestOf({ id, type, data }: ReadDelivery): Markup {
  const { method, path, parameters, body } = webhookCall(type, data);
  return html`
          <pre tabindex="0" aria-label="Request"><code>${method} ${fillPath(path, parameters)}
Offers-Delivery-Id: ${id}
Timestamp: (new for each attempt)
Authorization: (new for each attempt)${body !== undefined && `\nContent-Type: application/json\n\n${JSON.stringify(body, null, 2)}`}</code></pre>
          <p class="fine">Sent to a path under your base address, signed with your secret.</p>`;
}

const attemptItem = ({ time }: LocalTimes, attempt: ReadAttempt): Markup => html`
            <li id="attempt-${attempt.id}" class="${attempt.error === null ? "good" : "bad"}">
              <h3>No. ${attempt.number}: ${attemptLabel(attempt)}</h3>
              <p class="fine">${time(attempt.startedAt, "seconds")}, ${attempt.milliseconds} ms, <code>${attempt.method} ${attempt.path}</code></p>
              ${attempt.response && html`<pre tabindex="0" aria-label="Response"><code>${attempt.contentType && `Content-Type: ${attempt.contentType}\n\n`}${attempt.response}</code></pre>`}
            </li>`;
