import type { SignedInPerson } from "../../portal/person.ts";
import { readEndpoint } from "../../portal/profile/read-profile.ts";
import { formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PageContext } from "../routing/page.ts";

/**
 * While the endpoint is disabled, paused or failing, renders its state, the number of waiting events and the remedy (D-151). While
 * the endpoint is healthy, the strip is empty, and only a change to the endpoint updates it.
 */
export async function endpointStrip(context: PageContext<SignedInPerson>): Promise<Markup> {
  const endpoint = await readEndpoint(context.deps, context.user.organisationId, "unhealthy");
  return html`
<div class="strip" id="endpoint-strip" data-live="${endpoint ? "endpoint delivery" : "endpoint"}">${
    endpoint &&
    html`
  <div class="notice ${endpoint.disabled_at === null ? "warn" : "bad"} row">
    <p id="endpoint-strip-state" role="status">${describeState(endpoint, context)}${hasPending(endpoint) && html` ${formatCount(Number(endpoint.pending), "event")} ${endpoint.disabled_at === null ? "waiting" : "held"}.`}</p>
    ${remedyAction(endpoint, context)}
  </div>`
  }
</div>`;
}

type UnhealthyEndpoint = NonNullable<Awaited<ReturnType<typeof readEndpoint>>>;

const hasPending = ({ pending }: UnhealthyEndpoint): boolean => Number(pending) > 0;

function describeState(
  { disabled_at: disabledAt, breaker_open_until: openUntil, failing_since: failingSince }: UnhealthyEndpoint,
  { deps, times }: PageContext<SignedInPerson>,
): Markup {
  if (disabledAt !== null) return html`<strong>Your endpoint is disabled</strong> since ${times.time(disabledAt)}.`;
  if (openUntil !== null)
    return html`<strong>Deliveries to your endpoint are paused</strong>${openUntil > deps.now() && html` until ${times.time(openUntil, "seconds")}`}, because it is failing.`;
  return html`<strong>Your endpoint has been failing</strong>${failingSince && html` since ${times.time(failingSince, "seconds")}`}.`;
}

function remedyAction(endpoint: UnhealthyEndpoint, context: PageContext<SignedInPerson>): Markup {
  const { disabled_at: disabledAt, breaker_open_until: openUntil } = endpoint;
  if (disabledAt === null && openUntil === null)
    return html`<a class="button quiet small" href="/deliveries?state=${hasPending(endpoint) ? "pending" : "dead"}">See the failures</a>`;
  const [action, label] = disabledAt === null ? ["retry", "Retry now"] : ["enable", "Check and enable"];
  return html`
    <form method="post" action="/company/${action}">
      ${formTokenField(context)}
      <button class="small">${label}</button>
    </form>`;
}
