import { testWays, toShellCommand, writeTestRequests } from "@offers/cli/test-events";
import { fillPath } from "../../../endpoint-client/create-endpoint-client.ts";
import { ProblemError } from "../../../http/problem.ts";
import { type AttemptExchange, createWebhookCall } from "../../../webhooks/attempt-delivery.ts";
import {
  type AttemptRow,
  type DeliveryRow,
  readAttempts,
  readDelivery,
  readNeighbours,
} from "../../portal/deliveries/deliveries.ts";
import { deliveryNotFound, redeliverOne, retryOne } from "../../portal/deliveries/redeliver.ts";
import { readTarget } from "../../portal/profile/read-profile.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { attemptLabel, deliveryStateBadge, describeNextAttempt, eventLabel } from "./delivery-labels.ts";

type Target = Awaited<ReturnType<typeof readTarget>>;

const maxAttempts = 100;

/** `GET /deliveries/{id}` */
export const deliveryPage: PortalPage = async (context) => {
  const { deps, user, id } = context;
  const delivery = await readDelivery(deps, user.organisationId, id);
  if (delivery === undefined) throw deliveryNotFound();
  const attempts = (await readAttempts(deps, id)).reverse().slice(0, maxAttempts);
  const endpoint = await readTarget(deps, user.organisationId);
  const { later, earlier } = await readNeighbours(deps, user.organisationId, delivery.sequence);
  const title = eventLabel(delivery);
  const main = html`
    <div class="stack" id="delivery" data-live="delivery">
      <header class="page-head">
        <div>
          <p class="crumb"><a href="/deliveries">Deliveries</a></p>
          <h1>${title}</h1>
          <p class="row" id="delivery-state" role="status">${deliveryStateBadge(delivery)}</p>
          <p class="row">${earlier && html`<a href="/deliveries/${earlier}" rel="prev">Previous delivery</a>`} ${later && html`<a href="/deliveries/${later}" rel="next">Next delivery</a>`}</p>
        </div>
        ${actionButton(context, delivery)}
      </header>
      <section class="panel" aria-label="Delivery">${deliveryFacts(context, delivery)}</section>
      <section class="panel" aria-labelledby="request">
        <h2 id="request">Request</h2>
        ${requestSample(delivery, attempts[0]?.exchange ?? null, endpoint)}
      </section>
      <section class="panel" aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        ${attempts.length === 0 ? html`<p>None yet.</p>` : html`<ol class="attempts">${attempts.map((attempt) => attemptItem(context.times, attempt))}</ol>`}
      </section>
    </div>`;
  return { title, main };
};

/** `POST /deliveries/{id}/redeliver`: redelivers the event and redirects to its new delivery. */
export const handleRedeliver: PortalForm = async ({ deps, user, id }) => {
  try {
    const redelivery = await redeliverOne(deps, user, id);
    return { to: `/deliveries/${encodeURIComponent(redelivery.id)}`, notice: "The event is being redelivered." };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 409) throw error;
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice: error.message };
  }
};

/** `POST /deliveries/{id}/retry` */
export const handleRetry: PortalForm = async ({ deps, user, id }) => {
  try {
    const retry = await retryOne(deps, user, id);
    const notice =
      retry.id === id
        ? "The event is being attempted now."
        : "This delivery waits for an earlier response, which is being delivered now.";
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 409) throw error;
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice: error.message };
  }
};

/** Renders the button for the action that the delivery's state allows. */
function actionButton(context: PortalContext, { id, state }: DeliveryRow): Markup {
  if (state === "held") return html`<a class="button quiet" href="/company#health">Enable the endpoint…</a>`;
  const [action, label] = state === "pending" ? ["retry", "Retry now"] : ["redeliver", "Redeliver"];
  return html`
          <form method="post" action="/deliveries/${id}/${action}">
            ${formTokenField(context)}
            <button>${label}</button>
          </form>`;
}

const deliveryFacts = ({ times, deps }: PortalContext, delivery: DeliveryRow): Markup => html`
          <dl class="facts">
            <dt>Occurred</dt><dd>${times.time(delivery.createdAt, "seconds")}</dd>
            ${delivery.offerId && html`<dt>Offer</dt><dd><a href="/offers/${encodeURIComponent(delivery.offerId)}">${delivery.offerTitle}</a></dd>`}
            <dt>Attempts</dt><dd>${delivery.attempts}</dd>
            <dt>Next attempt</dt><dd>${describeNextAttempt(times, delivery, deps.now())}</dd>
            ${delivery.settledAt && html`<dt>Settled</dt><dd>${times.time(delivery.settledAt, "seconds")}</dd>`}
            ${delivery.redeliveryOf && html`<dt>Redelivery of</dt><dd><a href="/deliveries/${delivery.redeliveryOf}">an earlier delivery</a></dd>`}
            <dt>Delivery id</dt><dd><code>${delivery.id}</code></dd>
          </dl>`;

/** Renders the request from the latest attempt or, before the first attempt, the request that will be sent. */
function requestSample({ id, type, data }: DeliveryRow, latestExchangeJson: string | null, endpoint: Target): Markup {
  const { method, path, parameters, body } = createWebhookCall(type, data);
  const exchange = latestExchangeJson === null ? undefined : (JSON.parse(latestExchangeJson) as AttemptExchange);
  const baseAddress = exchange?.baseAddress ?? endpoint?.base_address;
  const filledPath = fillPath(path, parameters);
  const headers = exchange?.sent ?? {
    "offers-delivery-id": id,
    timestamp: "(new for each attempt)",
    authorization: "(new for each attempt)",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const content = body === undefined ? "" : JSON.stringify(body);
  return html`
          <pre tabindex="0" aria-label="Request"><code>${method} ${filledPath}
${formatHeaders(headers)}${body !== undefined && `\n\n${JSON.stringify(body, null, 2)}`}</code></pre>
          <p class="fine">${baseAddress ? html`Sent to <code>${baseAddress.replace(/\/+$/, "")}${filledPath}</code>` : "Sent to a path under your base URL"}, signed with your secret. ${exchange ? "Signatures are masked. They and the timestamp are new for each attempt." : ""}</p>
          ${baseAddress && curlSample({ method, path: filledPath, body: Buffer.from(content), id }, baseAddress, endpoint)}`;
}

/** Renders a curl command that computes the signature with a secret from the user's environment. */
function curlSample(
  webhook: Parameters<typeof writeTestRequests>[1],
  baseAddress: string,
  endpoint: Target,
): Markup | undefined {
  const scheme = endpoint?.scheme === "timestampDigestAndStandardWebhooks" ? "standardWebhooks" : "timestampDigest";
  const [asSent] = testWays;
  if (asSent === undefined) return undefined;
  // The page contains neither this secret nor this time, only the shell commands that compute the timestamp and the signature.
  const signing = { scheme, secret: btoa("a secret that is not shown"), now: new Date(0) } as const;
  const [request] = writeTestRequests(asSent, webhook, signing);
  if (request === undefined) return undefined;
  return html`
          <details id="curl">
            <summary>Send it yourself with curl</summary>
            <figure class="sample">
              <figcaption>The command signs with WEBHOOK_SECRET from your environment. <button type="button" class="quiet small" data-copy="curl-command" aria-label="Copy as curl" hidden>Copy as curl</button></figcaption>
              <pre tabindex="0" aria-label="curl"><code id="curl-command">${toShellCommand(request, baseAddress, scheme)}</code></pre>
            </figure>
          </details>`;
}

const formatHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

function attemptItem({ time }: LocalTimes, attempt: AttemptRow): Markup {
  const { sent, received, baseAddress } = JSON.parse(attempt.exchange ?? "{}") as Partial<AttemptExchange>;
  const head = received ? formatHeaders(received) : attempt.contentType && `content-type: ${attempt.contentType}`;
  const response = [head, attempt.response].filter(Boolean).join("\n\n");
  return html`
            <li id="attempt-${attempt.id}" class="${attempt.error === null ? "good" : "bad"}">
              <h3>No. ${attempt.number}: ${attemptLabel(attempt)}</h3>
              <p class="fine">${time(attempt.startedAt, "seconds")}, ${attempt.milliseconds} ms, <code>${attempt.method} ${attempt.path}</code></p>
              ${sent && html`<details id="sent-${attempt.id}"><summary>Headers as sent</summary><pre tabindex="0" aria-label="Headers as sent, attempt ${attempt.number}"><code>${attempt.method} ${baseAddress?.replace(/\/+$/, "")}${attempt.path}\n${formatHeaders(sent)}</code></pre></details>`}
              ${response && html`<pre tabindex="0" aria-label="Response"><code>${response}</code></pre>`}
            </li>`;
}
