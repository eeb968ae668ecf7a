import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import { retryAll } from "../../portal/deliveries/redeliver.ts";
import { type EndpointRow, readEndpoint } from "../../portal/profile/read-profile.ts";
import { reenableEndpoint } from "../../portal/profile/reenable-endpoint.ts";
import { rotateSecret, rotationSchema } from "../../portal/profile/rotate-secret.ts";
import { profileSchema, saveProfile } from "../../portal/profile/save-profile.ts";
import { formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { checksSection } from "./checks-section.ts";
import { healthSection } from "./health-section.ts";
import { type ProfileDraft, profileForm, readProfileDraft, rotationForm } from "./profile-form.ts";
import { testEventForm } from "./test-event-page.ts";
import { timeZoneSection } from "./time-zone-section.ts";

/** `GET /company?baseAddress=…&scheme=…`: shows the profile. If the query contains a base URL, fills in the form from the query. */
export const companyPage: PortalPage = (context) => {
  const query = new URLSearchParams(context.request.url.split("?")[1]);
  const draft = readProfileDraft(query);
  return renderCompany(context, draft.baseAddress === "" ? {} : { draft });
};

/** `POST /company`: runs both checks, shows them, and saves if they pass. Without a secret, only changes the suggestions switch. */
export const handleSaveCompany: PortalForm = (context, form) => {
  const draft = readProfileDraft(form);
  const secret = readSecret(form);
  // If the field is empty, omit the secret.
  const profile = { ...draft, ...(secret !== "" && { secret }) };
  const action = async () => saveProfile(context.deps, context.user, parseBody(profileSchema, profile));
  return runAndRender(context, action, { draft, successMessage: "The profile is saved." });
};

/** Renders the form again with the input that was submitted before the session expired. */
export const restoreCompanyForm: PortalForm = (context, form) =>
  renderCompany(context, { draft: readProfileDraft(form) });

/** `POST /company/rotation` */
export const handleRotateSecret: PortalForm = (context, form) => {
  const rotation = { secret: readSecret(form) };
  const action = async () => rotateSecret(context.deps, context.user, parseBody(rotationSchema, rotation));
  const successMessage = "The new secret is in use. The old one remains valid for 24 hours.";
  return runAndRender(context, action, { isRotation: true, successMessage });
};

/** `POST /company/enable` */
export const handleEnableEndpoint: PortalForm = (context) =>
  runAndRender(context, () => reenableEndpoint(context.deps, context.user), { successMessage: enabledMessage });

const enabledMessage = "The endpoint is enabled. Held events are being delivered.";

/** `POST /company/retry`: attempts all waiting events now. A disabled endpoint must pass both checks first. */
export const handleRetryAll: PortalForm = async (context) => {
  const retry = retryAll(context.deps, context.user);
  // `runAndRender` awaits `retry` again and renders its error.
  const result = await retry.catch(() => undefined);
  // Only a disabled endpoint is checked.
  if (result?.checks.length === 0)
    return {
      to: "/company",
      notice: `${formatCount(result.pending, "waiting event")} ${result.pending === 1 ? "is" : "are"} being attempted now.`,
    };
  return runAndRender(context, async () => (await retry).checks, { successMessage: enabledMessage });
};

const readSecret = (form: URLSearchParams): string => form.get("secret") ?? "";

interface CompanyView {
  draft?: ProfileDraft;
  errors?: FieldErrors;
  /** Whether the rotation form was submitted. */
  isRotation?: boolean;
  /** The checks that have just been run. */
  checks?: EndpointCheck[];
  /** Shown if the checks passed. */
  successMessage?: string;
  /** Why the form failed, if neither a check nor a field is the reason. */
  errorMessage?: string;
}

/** Runs a form's action, and renders the page with the resulting checks or errors. */
async function runAndRender(
  context: PortalContext,
  action: () => Promise<EndpointCheck[]>,
  { successMessage, ...view }: CompanyView & { successMessage: string },
): Promise<Page> {
  try {
    return await renderCompany(context, { ...view, successMessage, checks: await action() });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    const { code, errors, extensions, message } = error;
    const reason = errors !== undefined ? { errors } : { errorMessage: message };
    const failure = code === "endpoint_check_failed" ? toFailureView(extensions.checks as EndpointCheck[]) : reason;
    return { ...(await renderCompany(context, { ...view, ...failure })), status: 422 };
  }
}

/** Converts failed checks to what the page shows. An invalid base URL becomes an error in its field instead of a failed check. */
function toFailureView(checks: EndpointCheck[]): Pick<CompanyView, "checks" | "errors"> {
  const reason = checks.find(({ code }) => code === "invalid_address")?.reason;
  if (reason === undefined) return { checks };
  return { errors: new Map([["baseAddress", [`${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`]]]) };
}

async function renderCompany(context: PortalContext, view: CompanyView): Promise<Page> {
  const { deps, user } = context;
  const endpoint = await readEndpoint(deps, user.organisationId);
  const { draft = toDraft(endpoint), errors, isRotation = false, checks, successMessage } = view;
  const noErrors: FieldErrors = new Map();
  const fieldErrors = errors ?? noErrors;
  const errorMessage = view.errorMessage ?? (errors && "Nothing was saved. Please correct the marked fields.");
  const main = html`
    <header class="page-head"><h1>Company profile</h1></header>
    <p class="row"><a class="button quiet small" href="/api-keys">API keys</a> <a class="button quiet small" href="/places">Places</a></p>
    <p class="lead">Your organisation's endpoint receives a webhook when a worker responds to an offer or adds a contact.</p>
    ${errorMessage && html`<p class="notice bad" role="alert">${errorMessage}</p>`}
    ${checks && (checks.length === 0 ? suggestionsNotice(draft) : checksSection(draft, checks, successMessage))}
    <div class="columns">
      ${profileForm(context, { draft, errors: isRotation ? noErrors : fieldErrors, isSaved: endpoint !== undefined })}
      <div class="stack">
        ${healthSection(context, endpoint)}
        ${timeZoneSection(context)}
        ${endpoint && rotationForm(context, isRotation ? fieldErrors : noErrors)}
        ${testEventForm(context)}
      </div>
    </div>`;
  return { title: "Company profile", main };
}

/** Renders a notice about a change that was saved without a secret, and therefore without checks. */
const suggestionsNotice = ({ suggestsContacts }: ProfileDraft): Markup => html`
    <p class="notice good" role="status">Suggestions are ${suggestsContacts ? "on" : "off"}. Nothing else was changed, so your endpoint was not checked.</p>`;

const toDraft = (endpoint: EndpointRow | undefined): ProfileDraft => ({
  baseAddress: endpoint?.base_address ?? "",
  scheme: endpoint?.scheme ?? "timestampDigest",
  suggestsContacts: endpoint?.suggests_contacts ?? false,
});
