import { html } from "hono/html";
import { webhookCall } from "../../delivery/attempt/webhook-call.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { fillPath } from "../../outbound/join-address.ts";
import { type ReadDelivery, readAttempts, readDelivery } from "../../portal/deliveries/read-deliveries.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { attemptLabel } from "./attempt-labels.ts";
import { nextAttempt } from "./deliveries-page.ts";
import { deliveryState } from "./delivery-state.ts";
import { eventLabel } from "./event-labels.ts";

type Attempt = Awaited<ReturnType<typeof readAttempts>>[number];

/** `GET /deliveries/{id}` */
export const deliveryPage =
  (deps: PageDeps) =>
  async (context: PortalContext): Promise<Page> => {
    const delivery = await readDelivery(deps, context.user.organisationId, pathParameter(context.request, "id"));
    if (delivery === undefined)
      throw new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");
    const attempts = await readAttempts(deps, delivery.id);
    const title = eventLabel(delivery);
    const main = html`
      <div class="stack" id="delivery" data-live="delivery">
        <header class="page-head">
          <div>
            <p class="crumb"><a href="/deliveries">Deliveries</a></p>
            <h1>${title}</h1>
            <p class="row" id="delivery-state" role="status">${deliveryState(delivery)}</p>
          </div>
          ${(delivery.state === "dead" || delivery.state === "acknowledged") && redeliverForm(delivery, context)}
        </header>
        <section class="panel" aria-label="Delivery">${facts(delivery)}</section>
        <section class="panel" aria-labelledby="request">
          <h2 id="request">Request</h2>
          ${requestOf(delivery)}
        </section>
        <section class="panel" aria-labelledby="attempts">
          <h2 id="attempts">Attempts</h2>
          ${attempts.length === 0 ? html`<p>None yet.</p>` : html`<ol class="attempts">${attempts.map(attemptItem)}</ol>`}
        </section>
      </div>`;
    return { title, main };
  };

const redeliverForm = ({ id }: ReadDelivery, context: PortalContext): Markup => html`
          <form method="post" action="/deliveries/${id}/redeliver">
            ${formTokenField(context)}
            <button>Redeliver</button>
          </form>`;

const facts = (delivery: ReadDelivery): Markup => html`
          <dl class="facts">
            <dt>Happened</dt><dd>${time(delivery.created_at, "seconds")}</dd>
            ${delivery.offerId && html`<dt>Offer</dt><dd><a href="/offers/${encodeURIComponent(delivery.offerId)}">${delivery.offerTitle}</a></dd>`}
            <dt>Attempts</dt><dd>${delivery.attempts}</dd>
            <dt>Next attempt</dt><dd>${nextAttempt(delivery)}</dd>
            ${delivery.settled_at && html`<dt>Settled</dt><dd>${time(delivery.settled_at, "seconds")}</dd>`}
            ${delivery.redelivery_of && html`<dt>Redelivery of</dt><dd><a href="/deliveries/${delivery.redelivery_of}">an earlier delivery</a></dd>`}
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

const attemptItem = (attempt: Attempt): Markup => html`
            <li id="attempt-${attempt.id}" class="${attempt.error === null ? "good" : "bad"}">
              <h3>No. ${attempt.number}: ${attemptLabel(attempt)}</h3>
              <p class="fine">${time(attempt.started_at, "seconds")}, ${attempt.duration_ms} ms, <code>${attempt.method} ${attempt.path}</code></p>
              ${attempt.response && html`<pre tabindex="0" aria-label="Response"><code>${attempt.content_type && `Content-Type: ${attempt.content_type}\n\n`}${attempt.response}</code></pre>`}
            </li>`;
