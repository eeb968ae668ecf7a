import type { EndpointRow } from "../../portal/profile/read-profile.ts";
import { formTokenField } from "../layout/field.ts";
import { badge, formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { PortalContext } from "../sections/portal-section.ts";
import { checkingStatus } from "./profile-form.ts";

/** Renders the endpoint's health, updated live, with a form that enables a disabled endpoint. */
export const healthSection = (context: PortalContext, endpoint: EndpointRow | undefined): Markup => html`
    <section class="panel" id="health" data-live="endpoint delivery" aria-labelledby="health-title">
      <h2 id="health-title">Endpoint</h2>
      ${endpoint === undefined ? noBaseUrl : healthFacts(endpoint, context.deps.now(), context.times)}
      ${endpoint && retryForm(context, endpoint)}
      ${endpoint && html`<p><a href="/company/remove">Remove the base URL…</a></p>`}
    </section>`;

/**
 * Renders the button that attempts all waiting events now. A disabled endpoint must pass its checks first. Renders nothing if the endpoint
 * is enabled and no event is waiting.
 */
function retryForm(context: PortalContext, { disabled_at, pending }: EndpointRow): Markup | undefined {
  if (disabled_at === null && Number(pending) === 0) return undefined;
  const [action, label] = disabled_at === null ? ["retry", "Retry all now"] : ["enable", "Check, enable and retry all"];
  return html`
      <form method="post" action="/company/${action}" data-busy="${checkingStatus}">
        ${formTokenField(context)}
        <button>${label}</button>
      </form>`;
}

const noBaseUrl = html`
      <p>${badge("No base URL", "none")}</p>
      <p>Save a base URL to receive responses and contacts. Events that occur before you save one are never delivered.</p>`;

function healthFacts(endpoint: EndpointRow, now: Date, times: LocalTimes): Markup {
  const { time } = times;
  const { state, explanation } = describeHealth(endpoint, now, times);
  const { pending, disabled_at: disabledAt, previous_secret_until: oldSecretUntil } = endpoint;
  const [label, filter] = disabledAt === null ? ["Pending", "pending"] : ["Held", "held"];
  return html`
      <p id="health-state" role="status">${state}</p>
      ${explanation && html`<p>${explanation}</p>`}
      <dl class="facts">
        <dt>Base URL</dt><dd>${endpoint.base_address}</dd>
        <dt>${label}</dt><dd><a href="/deliveries?state=${filter}">${formatCount(Number(pending), "event")}</a></dd>
        <dt>Suggests contacts</dt><dd>${endpoint.suggests_contacts ? "yes" : "no"}</dd>
        <dt>Saved</dt><dd>${time(endpoint.updated_at)}</dd>
        ${oldSecretUntil !== null && oldSecretUntil > now && html`<dt>Old secret</dt><dd>valid until ${time(oldSecretUntil)}</dd>`}
      </dl>`;
}

const outageGuide = "https://github.com/offers/offers/blob/main/docs/guides/after-an-outage.md";

interface Health {
  state: Markup;
  explanation?: Markup;
}

const disabledReasons = {
  gone: "It responded with 410 Gone.",
  failing: "It has been failing for five days. Only a 200 response acknowledges an event. A 204 response does not.",
} as const;

function describeHealth(endpoint: EndpointRow, now: Date, { time }: LocalTimes): Health {
  const { disabled_at, disabled_because, breaker_open_until, failing_since, consecutive_failures } = endpoint;
  if (disabled_at !== null)
    return {
      state: badge("Disabled", "bad"),
      explanation: html`Since ${time(disabled_at)}. ${disabled_because && disabledReasons[disabled_because]} Events are held until it is enabled, then delivered.
        Failed deliveries are not retried automatically. See <a href="${outageGuide}">how to catch up after an outage</a>.`,
    };
  if (breaker_open_until !== null)
    return {
      state: badge("Paused", "warn"),
      explanation: html`${consecutive_failures} attempts in a row failed. ${
        breaker_open_until > now ? html`Events wait until ${time(breaker_open_until, "seconds")}` : "Events wait"
      }. Then one event is attempted before the others.`,
    };
  if (failing_since !== null)
    return {
      state: badge("Failing", "warn"),
      explanation: html`Since ${time(failing_since, "seconds")}. Failed deliveries are retried.`,
    };
  return { state: badge("Healthy", "good") };
}
