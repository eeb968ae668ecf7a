import { html } from "hono/html";
import type { FieldErrors } from "../../problem/problem-error.ts";
import type { EndpointScheme } from "../../store/tables.ts";
import { field, fieldError } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import type { ProfileDraft } from "./profile-draft.ts";

const schemes: Readonly<Record<EndpointScheme, { name: string; hint: string }>> = {
  timestampDigest: { name: "Timestamp and digest", hint: "The documented headers Timestamp and Authorization." },
  timestampDigestAndStandardWebhooks: {
    name: "Also Standard Webhooks",
    hint: "Adds webhook-id, webhook-timestamp and webhook-signature, which also cover the body.",
  },
};

export interface ProfileForm {
  draft: ProfileDraft;
  errors: FieldErrors;
  formToken: string;
  /** Whether a profile exists: then the suggestions switch needs no secret (D-41). */
  isSaved: boolean;
}

/** The profile form. Submitting it runs both checks, unless only the suggestions switch changes. */
export const profileForm = ({ draft, errors, formToken, isSaved }: ProfileForm): Markup => html`
    <form method="post" action="/company" class="panel">
      <h2>Where webhooks go</h2>
      ${formTokenField({ formToken })}
      ${field({
        name: "baseAddress",
        label: "Base address",
        type: "url",
        required: true,
        value: draft.baseAddress,
        placeholder: "https://hooks.example.com/offers",
        hint: "Webhooks are sent to paths under it.",
        errors: errors.get("baseAddress"),
      })}
      ${field({
        name: "secret",
        label: "Secret",
        type: "password",
        required: !isSaved,
        saysOptional: false,
        autocomplete: "off",
        hint: "Never shown again. Required whenever the address or the signatures change. At least 16 characters, for example from openssl rand -base64 32.",
        errors: errors.get("secret"),
      })}
      <fieldset>
        <legend>Signatures</legend>
        ${(Object.keys(schemes) as EndpointScheme[]).map((scheme) => {
          const isChosen = draft.scheme === scheme;
          return html`<label class="choice"><input type="radio" name="scheme" value="${scheme}"${isChosen && html` checked`}> <span>${schemes[scheme].name}<small>${schemes[scheme].hint}</small></span></label>`;
        })}
        ${errors.has("scheme") && fieldError("scheme", errors.get("scheme") ?? [])}
      </fieldset>
      <label class="choice"><input type="checkbox" name="suggestsContacts" value="yes"${draft.suggestsContacts && html` checked`}> <span>Suggests contacts<small>Searches on the invitations page call this endpoint for people who worked with the hirer.</small></span></label>
      <div class="row">
        <button>Check and save</button>
        <p class="fine">Respond with 200 to GET /test and GET /test/auth. Respond with 200 to webhooks too: other 2xx statuses do not acknowledge them, and many frameworks send 204 for a handler that returns nothing.</p>
      </div>
    </form>`;
