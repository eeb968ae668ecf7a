import { testEvents, testWays } from "@offers/cli/test-events";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import {
  everyWay,
  sendTestEvent,
  type TestEventResult,
  type TestExchange,
  testEventSchema,
} from "../../portal/profile/send-test-event.ts";
import { field, fieldError, formTokenField } from "../layout/field.ts";
import { badge, formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";

/** The user's input, without the secret, which no page shows again. */
interface Draft {
  event: string;
  way: string;
  baseAddress: string;
  scheme: string;
}

const initialDraft: Draft = {
  event: testEvents[0]?.name ?? "",
  way: everyWay,
  baseAddress: "",
  scheme: "timestampDigest",
};

/** `GET /company/test-event` */
export const testEventPage: PortalPage = (context) => ({
  title: "Send a test event",
  main: html`${heading}${testEventForm(context)}`,
});

/** `POST /company/test-event`: sends a test event, and shows each request with its response. */
export const handleSendTestEvent: PortalForm = async (context, form) => {
  const readField = (name: string): string => form.get(name)?.trim() ?? "";
  const draft: Draft = {
    event: readField("event"),
    way: readField("way"),
    baseAddress: readField("baseAddress"),
    scheme: readField("scheme") || initialDraft.scheme,
  };
  const secret = form.get("secret") ?? "";
  const { baseAddress, ...choices } = draft;
  // Omit empty fields, so that the saved endpoint is used.
  const input = { ...choices, ...(baseAddress !== "" && { baseAddress }), ...(secret !== "" && { secret }) };
  try {
    const result = await sendTestEvent(context.deps, context.user, parseBody(testEventSchema, input));
    const main = html`${heading}${resultSection(result)}${testEventForm(context, draft)}`;
    return { title: "Send a test event", main };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500 || error.status === 429) throw error;
    const errorMessage = error.errors ? "Nothing was sent. Please correct the marked fields." : error.message;
    const main = html`${heading}
    <p class="notice bad" role="alert">${errorMessage}</p>${testEventForm(context, draft, error.errors)}`;
    return { status: 422, title: "Send a test event", main };
  }
};

const heading = html`
    <header class="page-head"><h1>Send a test event</h1></header>
    <p class="row"><a class="button quiet small" href="/company">Company profile</a></p>`;

/** Renders the form that selects an event, how to send it, and where to send it. */
export function testEventForm(
  context: PortalContext,
  draft: Draft = initialDraft,
  errors: FieldErrors = new Map(),
): Markup {
  const usesOtherUrl = draft.baseAddress !== "" || errors.has("secret") || errors.has("baseAddress");
  return html`
    <form method="post" action="/company/test-event" class="panel" id="send-test-event">
      <h2>Send a test event</h2>
      <p class="hint">Your endpoint receives a webhook about a fictitious offer, sent the way the service, an attacker or a faulty network would send it. The page then shows whether the response is correct. If your receiver accepts a request that it should reject, it handles the test as a real event.</p>
      ${formTokenField(context)}
      ${selectField(
        "event",
        "Event",
        draft.event,
        testEvents.map(({ name, summary }) => [name, `${name}: ${summary}`]),
        errors,
      )}
      ${selectField("way", "Sent", draft.way, [[everyWay, "in every way, one after another"], ...testWays.map(({ name, title }) => [name, title] as const)], errors)}
      <details${usesOtherUrl && html` open`}>
        <summary>Use a different base URL</summary>
        ${field({
          name: "baseAddress",
          id: "test-address",
          label: "Base URL for this test",
          type: "url",
          value: draft.baseAddress,
          placeholder: "https://staging.example.com/offers",
          errors: errors.get("baseAddress"),
        })}
        ${field({
          name: "secret",
          id: "test-secret",
          label: "Secret for that base URL",
          type: "password",
          marksOptional: false,
          autocomplete: "off",
          hint: "Used only for these requests, and not stored. The secret in the profile is never used for another URL.",
          errors: errors.get("secret"),
        })}
        ${selectField(
          "scheme",
          "Signatures",
          draft.scheme,
          [
            ["timestampDigest", "Timestamp and digest"],
            ["timestampDigestAndStandardWebhooks", "Timestamp, digest and Standard Webhooks"],
          ],
          errors,
        )}
      </details>
      <button>Send</button>
    </form>`;
}

const selectField = (
  name: string,
  label: string,
  selected: string,
  options: readonly (readonly [value: string, text: string])[],
  errors: FieldErrors,
): Markup => html`
      <div class="field${errors.has(name) && " wrong"}">
        <label for="test-${name}">${label}</label>
        <select id="test-${name}" name="${name}"${errors.has(name) && html` aria-invalid="true" aria-describedby="test-${name}-error"`}>
          ${options.map(([value, text]) => html`<option value="${value}"${value === selected && html` selected`}>${text}</option>`)}
        </select>
        ${errors.has(name) && fieldError(`test-${name}`, errors.get(name) ?? [])}
      </div>`;

function resultSection({ event, baseAddress, ways, findings }: TestEventResult): Markup {
  const exchanges = ways.flatMap((way) => way.exchanges);
  const isFoldable = exchanges.length > 1;
  const areAllCorrect = exchanges.every(({ verdict }) => verdict.isRight);
  return html`
    <section class="panel" aria-labelledby="test-result" id="test-result-section">
      <h2 id="test-result">${event.name} to ${baseAddress}</h2>
      <p class="notice ${areAllCorrect ? "good" : "bad"}" role="${areAllCorrect ? "status" : "alert"}">
        ${areAllCorrect ? `${formatCount(exchanges.length, "request")}: every response is correct.` : describeFailure(findings)}
      </p>
      ${findings.map(
        ({ code, title, why, change, severity, accepted, line }) => html`
      <h3>${title} ${badge(severity === "defect" ? "Defect" : "Note", severity === "defect" ? "bad" : "warn")} <span class="fine">${code}</span></h3>
      ${accepted && html`<p>It accepts ${accepted}.</p>`}
      <p>${why}</p>
      <p><strong>Change:</strong> ${change}</p>
      ${line && html`<pre tabindex="0" aria-label="Suggested line"><code>${line}</code></pre>`}`,
      )}
      <ol class="attempts">${ways.map(
        ({ way, exchanges }) =>
          html`${exchanges.map((exchange, index) => exchangeItem(way.title, exchange, { id: `${way.name}-${index}`, isFolded: isFoldable && exchange.verdict.isRight }))}`,
      )}</ol>
    </section>`;
}

function describeFailure(findings: TestEventResult["findings"]): string {
  const defectCount = findings.filter(({ severity }) => severity === "defect").length;
  return defectCount > 0
    ? `Your receiver has ${formatCount(defectCount, "defect")}.`
    : "Your endpoint did not respond.";
}

const exchangeItem = (
  title: string,
  { request, response, command, milliseconds, verdict }: TestExchange,
  { id, isFolded }: { id: string; isFolded: boolean },
): Markup => {
  const samples = html`
          <div class="samples">
            ${sampleFigure(`Request: ${title}`, "Request", request)}
            ${sampleFigure(`Response: ${title}`, "Response", response)}
          </div>`;
  return html`
        <li class="${verdict.isRight ? "good" : "bad"}">
          <h3>Sent ${title} ${badge(verdict.isRight ? "Correct" : "Incorrect", verdict.isRight ? "good" : "bad")}</h3>
          <p>${verdict.text} ${verdict.finding && `${verdict.finding.title}.`} <span class="fine">in ${milliseconds} ms</span></p>
          ${isFolded ? html`<details class="code"><summary>Request and response</summary>${samples}</details>` : samples}
          <details class="code">
            <summary>Resend with curl</summary>
            <figure class="sample">
              <figcaption>Set WEBHOOK_SECRET first <button type="button" class="quiet small" data-copy="curl-${id}" aria-label="Copy: curl, ${title}" hidden>Copy</button></figcaption>
              <pre tabindex="0" aria-label="curl, ${title}"><code id="curl-${id}">${command}</code></pre>
            </figure>
          </details>
        </li>`;
};

const sampleFigure = (label: string, title: string, text: string): Markup => html`
            <figure class="sample">
              <figcaption>${title}</figcaption>
              <pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>
            </figure>`;
