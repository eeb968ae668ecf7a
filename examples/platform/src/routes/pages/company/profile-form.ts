import type { FieldErrors } from "../../../http/problem.ts";
import type { EndpointScheme } from "../../../store/tables.ts";
import { field, fieldError, formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PortalContext } from "../sections/portal-section.ts";

/** The user's input in the profile form, without the secret, which no page shows again. */
export interface ProfileDraft {
  baseAddress: string;
  scheme: EndpointScheme;
  suggestsContacts: boolean;
}

export const readProfileDraft = (form: URLSearchParams): ProfileDraft => ({
  baseAddress: form.get("baseAddress")?.trim() ?? "",
  // Saving the profile validates the scheme.
  scheme: form.get("scheme") as EndpointScheme,
  suggestsContacts: form.get("suggestsContacts") === "yes",
});

const schemes: Readonly<Record<EndpointScheme, { name: string; hint: string }>> = {
  timestampDigest: { name: "Timestamp and digest", hint: "The documented headers Timestamp and Authorization." },
  timestampDigestAndStandardWebhooks: {
    name: "Timestamp, digest and Standard Webhooks",
    hint: "Adds webhook-id, webhook-timestamp and webhook-signature, which also cover the body.",
  },
};

interface ProfileForm {
  draft: ProfileDraft;
  errors: FieldErrors;
  /** Whether a profile exists, so that changing the suggestions switch needs no secret (D-41). */
  isSaved: boolean;
}

/** Renders the profile form. Submitting it runs both checks, unless only the suggestions switch changes. */
export const profileForm = (context: PortalContext, { draft, errors, isSaved }: ProfileForm): Markup => html`
    <form method="post" action="/company" class="panel" data-busy="${checkingStatus}">
      <h2>Webhook endpoint</h2>
      ${formTokenField(context)}
      ${field({
        name: "baseAddress",
        label: "Base URL",
        type: "url",
        required: true,
        value: draft.baseAddress,
        placeholder: "https://hooks.example.com/offers",
        hint: "Webhooks are sent to paths below this URL.",
        errors: errors.get("baseAddress"),
      })}
      ${field({
        name: "secret",
        label: "Secret",
        type: "password",
        required: !isSaved,
        marksOptional: false,
        autocomplete: "off",
        hint: "The secret is never shown again. Enter it whenever the base URL or the signatures change. Use at least 16 characters, for example from openssl rand -base64 32.",
        errors: errors.get("secret"),
      })}
      ${secretButtons("secret")}
      <fieldset>
        <legend>Signatures</legend>
        ${(Object.keys(schemes) as EndpointScheme[]).map((scheme) => {
          const isChosen = draft.scheme === scheme;
          return html`<label class="choice"><input type="radio" name="scheme" value="${scheme}"${isChosen && html` checked`}> <span>${schemes[scheme].name}<small>${schemes[scheme].hint}</small></span></label>`;
        })}
        ${errors.has("scheme") && fieldError("scheme", errors.get("scheme") ?? [])}
      </fieldset>
      <label class="choice"><input type="checkbox" name="suggestsContacts" value="yes"${draft.suggestsContacts && html` checked`}> <span>Suggests contacts<small>Searches on the invitations page ask this endpoint for people who have worked with the hirer.</small></span></label>
      <div class="row">
        <button>Check and save</button>
        <p class="fine">Respond with 200 to GET /test and GET /test/auth. Respond with 200 to webhooks too: other 2xx statuses do not acknowledge them, and many frameworks send 204 for a handler that returns nothing.</p>
      </div>
    </form>`;

/** Renders the buttons that generate, show and copy a secret. They stay hidden without JavaScript. */
const secretButtons = (inputId: string): Markup => html`
      <div class="row" data-secret="${inputId}" hidden>
        <button type="button" class="quiet small" data-generate>Generate a secret</button>
        <button type="button" class="quiet small" data-show aria-pressed="false">Show</button>
        <button type="button" class="quiet small" data-copy="${inputId}" aria-label="Copy the secret" hidden>Copy</button>
      </div>`;

/** The status that a page shows while a form runs its checks. */
export const checkingStatus = "Calling the endpoint…";

/** Renders the form that rotates the secret. */
export const rotationForm = (context: PortalContext, errors: FieldErrors): Markup => html`
    <form method="post" action="/company/rotation" class="panel" id="rotation" data-busy="${checkingStatus}">
      <h2>Rotate the secret</h2>
      <p class="hint">First, add the new secret to your endpoint without removing the old one. Then enter the new secret here.</p>
      ${formTokenField(context)}
      ${field({
        name: "secret",
        id: "new-secret",
        label: "New secret",
        type: "password",
        required: true,
        autocomplete: "off",
        errors: errors.get("secret"),
      })}
      ${secretButtons("new-secret")}
      <button class="quiet">Check and rotate</button>
    </form>`;
