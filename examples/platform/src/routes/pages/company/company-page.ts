import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import { retryAll } from "../../portal/deliveries/redeliver.ts";
import { type ReadEndpoint, readEndpoint } from "../../portal/profile/read-profile.ts";
import { reenableEndpoint } from "../../portal/profile/reenable-endpoint.ts";
import { rotateSecret, rotationSchema } from "../../portal/profile/rotate-secret.ts";
import { profileSchema, saveProfile } from "../../portal/profile/save-profile.ts";
import { counted } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { checksSection } from "./checks-section.ts";
import { healthSection } from "./health-section.ts";
import { type ProfileDraft, profileForm, readProfileDraft, rotationForm } from "./profile-form.ts";
import { testEventForm } from "./test-event-page.ts";
import { timeZoneSection } from "./time-zone-section.ts";

/** `GET /company?baseAddress=…&scheme=…`: shows the profile, with the form filled in from the query. */
export const companyPage: PortalPage = (context) => {
  const query = new URLSearchParams(context.request.url.split("?")[1]);
  const draft = readProfileDraft(query);
  return showCompany(context, draft.baseAddress === "" ? {} : { draft });
};

/** `POST /company`: runs both checks, shows them, and saves if they pass. Without a secret, only changes the suggestions switch. */
export const saveCompanyForm: PortalForm = (context, form) => {
  const draft = readProfileDraft(form);
  const secret = secretOf(form);
  // An empty field means that no secret was entered.
  const profile = { ...draft, ...(secret !== "" && { secret }) };
  const work = async () => saveProfile(context.deps, context.user, parseBody(profileSchema, profile));
  return showOutcome(context, work, { draft, done: "The profile is saved." });
};

/** Shows the form again as it was submitted before the session expired. */
export const restoreCompanyForm: PortalForm = (context, typed) =>
  showCompany(context, { draft: readProfileDraft(typed) });

/** `POST /company/rotation` */
export const rotateSecretForm: PortalForm = (context, form) => {
  const rotation = { secret: secretOf(form) };
  const work = async () => rotateSecret(context.deps, context.user, parseBody(rotationSchema, rotation));
  const done = "The new secret is in use. The old one remains valid for 24 hours.";
  return showOutcome(context, work, { isRotation: true, done });
};

/** `POST /company/enable` */
export const enableEndpointForm: PortalForm = (context) =>
  showOutcome(context, () => reenableEndpoint(context.deps, context.user), { done: enabledMessage });

const enabledMessage = "The endpoint is enabled. Held events are being delivered.";

/** `POST /company/retry`: attempts all waiting events now. A disabled endpoint must pass both checks first. */
export const retryAllForm: PortalForm = async (context) => {
  const retrying = retryAll(context.deps, context.user);
  const retried = await retrying.catch(() => undefined);
  if (retried?.checks.length === 0)
    return {
      to: "/company",
      notice: `${counted(retried.pending, "waiting event")} ${retried.pending === 1 ? "is" : "are"} being attempted now.`,
    };
  return showOutcome(context, async () => (await retrying).checks, { done: enabledMessage });
};

const secretOf = (form: URLSearchParams): string => form.get("secret") ?? "";

interface CompanyView {
  draft?: ProfileDraft;
  errors?: FieldErrors;
  /** Whether the rotation form was submitted. */
  isRotation?: boolean;
  /** The checks that have just been run. */
  checks?: EndpointCheck[];
  /** What to report if the checks passed. */
  done?: string;
  /** Why the form failed, if neither a check nor a field is the reason. */
  refusal?: string;
}

/** Runs a form's action, and shows the page with the checks or field errors. */
async function showOutcome(
  context: PortalContext,
  work: () => Promise<EndpointCheck[]>,
  { done, ...view }: CompanyView & { done: string },
): Promise<Page> {
  try {
    return await showCompany(context, { ...view, done, checks: await work() });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    const { code, errors, extensions, message } = error;
    const reason = errors !== undefined ? { errors } : { refusal: message };
    const failure = code === "endpoint_check_failed" ? failureOf(extensions.checks as EndpointCheck[]) : reason;
    return { ...(await showCompany(context, { ...view, ...failure })), status: 422 };
  }
}

/** Reports an invalid base URL as an error in its field, not as a failed check. */
function failureOf(checks: EndpointCheck[]): Pick<CompanyView, "checks" | "errors"> {
  const [invalid] = checks.filter(({ code }) => code === "invalid_address");
  if (invalid === undefined) return { checks };
  const [first = "", ...rest] = invalid.reason;
  return { errors: new Map([["baseAddress", [`${first.toUpperCase()}${rest.join("")}.`]]]) };
}

async function showCompany(context: PortalContext, view: CompanyView): Promise<Page> {
  const { deps, user } = context;
  const endpoint = await readEndpoint(deps, user.organisationId);
  const { draft = draftOf(endpoint), errors, isRotation = false, checks, done } = view;
  const noErrors: FieldErrors = new Map();
  const refusal = view.refusal ?? (errors && "Nothing was saved. Please correct the marked fields.");
  const main = html`
    <header class="page-head"><h1>Company profile</h1></header>
    <p class="row"><a class="button quiet small" href="/api-keys">API keys</a> <a class="button quiet small" href="/places">Places</a></p>
    <p class="lead">Your organisation's endpoint receives a webhook when a worker responds to an offer or adds a contact.</p>
    ${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
    ${checks && (checks.length === 0 ? suggestionsNotice(draft) : checksSection(draft, checks, done))}
    <div class="columns">
      ${profileForm(context, { draft, errors: (!isRotation && errors) || noErrors, isSaved: endpoint !== undefined })}
      <div class="stack">
        ${healthSection(context, endpoint)}
        ${timeZoneSection(context)}
        ${endpoint && rotationForm(context, (isRotation && errors) || noErrors)}
        ${testEventForm(context)}
      </div>
    </div>`;
  return { title: "Company profile", main };
}

/** Reports a change without a secret, for which the checks are not run. */
const suggestionsNotice = ({ suggestsContacts }: ProfileDraft): Markup => html`
    <p class="notice good" role="status">Suggestions are ${suggestsContacts ? "on" : "off"}. Nothing else was changed, so your endpoint was not checked.</p>`;

const draftOf = (endpoint: ReadEndpoint | undefined): ProfileDraft => ({
  baseAddress: endpoint?.base_address ?? "",
  scheme: endpoint?.scheme ?? "timestampDigest",
  suggestsContacts: endpoint?.suggests_contacts ?? false,
});
