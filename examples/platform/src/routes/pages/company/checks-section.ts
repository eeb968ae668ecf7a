import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { hiddenParameters } from "../layout/filter.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { ProfileDraft } from "./profile-form.ts";

/**
 * Renders both checks of a base URL, with their requests and responses.
 *
 * @param successMessage shown if the checks passed
 */
export function checksSection(
  draft: ProfileDraft,
  checks: readonly EndpointCheck[],
  successMessage: string | undefined,
): Markup {
  const { baseAddress } = draft;
  const passed = checks.every((check) => check.passed);
  return html`
    <section class="panel" aria-labelledby="checks">
      <h2 id="checks">Checks for ${baseAddress}</h2>
      <p class="notice ${passed ? "good" : "bad"}" role="${passed ? "status" : "alert"}">
        ${passed ? `Both checks returned 200. ${successMessage}` : "Nothing was changed. Your endpoint must respond to both checks with 200."}
      </p>
      ${checks.map(({ warning }) => warning && html`<p class="notice warn" role="alert"><strong>Your endpoint ${warning.reason}.</strong> ${warning.advice}</p>`)}
      ${passed && checks.every(({ warning }) => warning === undefined) && html`<p class="fine">A third request, with an invalid signature, was rejected, as it should be. Your log may mention it.</p>`}
      ${redirectForm(draft, checks)}
      <ol class="attempts">${checks.map(checkItem)}</ol>
    </section>`;
}

/** Renders a button that switches to the redirect target, if any. The user must enter the secret again, because no page contains it. */
function redirectForm(
  { scheme, suggestsContacts }: ProfileDraft,
  checks: readonly EndpointCheck[],
): Markup | undefined {
  const redirectUrl = checks.find(({ redirectsTo }) => redirectsTo !== undefined)?.redirectsTo;
  if (redirectUrl === undefined) return undefined;
  return html`
      <form method="get" action="/company" class="row">
        ${hiddenParameters({ scheme, suggestsContacts: suggestsContacts ? "yes" : undefined })}
        <button name="baseAddress" value="${redirectUrl}">Use ${redirectUrl}</button>
        <p class="fine">The endpoint redirects to this URL. You will have to enter the secret again.</p>
      </form>`;
}

const checkItem = ({ method, path, passed, reason, milliseconds, ...check }: EndpointCheck): Markup => html`
        <li class="${passed ? "good" : "bad"}">
          <h3>${method} ${path} ${badge(passed ? "Passed" : "Failed", passed ? "good" : "bad")}</h3>
          <p>${reason}. <span class="fine">${milliseconds} ms</span></p>
          <div class="samples">
            ${sampleFigure("Request", `${method} ${path}\n${formatHeaders(check.headers)}`)}
            ${sampleFigure("Response", formatResponse(check))}
          </div>
        </li>`;

const sampleFigure = (title: string, text: string): Markup => html`
            <figure class="sample">
              <figcaption>${title}</figcaption>
              <pre tabindex="0" aria-label="${title}"><code>${text}</code></pre>
            </figure>`;

const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

function formatResponse({ status, contentType, body }: Pick<EndpointCheck, "status" | "contentType" | "body">): string {
  if (status === null) return "No response.";
  const head = contentType === null ? String(status) : `${status}\nContent-Type: ${contentType}`;
  return body ? `${head}\n\n${body}` : head;
}
