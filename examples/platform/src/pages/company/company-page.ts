import { html } from "hono/html";
import type { CheckView } from "../../portal/profile/check-endpoint.ts";
import { type ReadEndpoint, readEndpoint } from "../../portal/profile/read-endpoint.ts";
import { reenableEndpoint } from "../../portal/profile/reenable-endpoint.ts";
import { rotateSecret } from "../../portal/profile/rotate-secret.ts";
import { saveProfile } from "../../portal/profile/save-profile.ts";
import { type FieldErrors, ProblemError } from "../../problem/problem-error.ts";
import type { Markup } from "../layout/markup.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { checksSection } from "./checks-section.ts";
import { enableForm } from "./enable-form.ts";
import { healthSection } from "./health-section.ts";
import { type ProfileDraft, readProfileDraft } from "./profile-draft.ts";
import { profileForm } from "./profile-form.ts";
import { rotationForm } from "./rotation-form.ts";

/** `GET /company` */
export const companyPage =
  (deps: PageDeps) =>
  (context: PortalContext): Promise<Page> =>
    showCompany(deps, context, {});

/** `POST /company`: runs both checks, saves if they pass, and shows them. Without a secret it only changes the suggestions switch. */
export const saveCompanyForm =
  (deps: PageDeps) =>
  (context: PortalContext, form: URLSearchParams): Promise<Page> => {
    const draft = readProfileDraft(form);
    const secret = secretOf(form);
    // An empty input means no secret.
    const work = saveProfile(deps, context.user, { ...draft, ...(secret !== "" && { secret }) });
    return showOutcome(deps, context, work, { draft, done: "The profile is saved." });
  };

/** `POST /company/rotation` */
export const rotateSecretForm =
  (deps: PageDeps) =>
  (context: PortalContext, form: URLSearchParams): Promise<Page> => {
    const work = rotateSecret(deps, context.user, { secret: secretOf(form) });
    const done = "The new secret is in use. The old one remains valid for 24 hours.";
    return showOutcome(deps, context, work, { isRotation: true, done });
  };

/** `POST /company/enable` */
export const enableEndpointForm =
  (deps: PageDeps) =>
  (context: PortalContext): Promise<Page> =>
    showOutcome(deps, context, reenableEndpoint(deps, context.user), {
      done: "The endpoint is enabled. Held events are being delivered.",
    });

const secretOf = (form: URLSearchParams): string => form.get("secret") ?? "";

interface CompanyView {
  draft?: ProfileDraft;
  errors?: FieldErrors;
  /** Whether the rotation form was submitted. */
  isRotation?: boolean;
  /** The checks just made. */
  checks?: CheckView[];
  /** Outcome of passed checks. */
  done?: string;
  /** Any other reason for the failure. */
  refusal?: string;
}

/** The page after one of its forms, with the checks or the field errors. */
async function showOutcome(
  deps: PageDeps,
  context: PortalContext,
  work: Promise<CheckView[]>,
  { done, ...view }: CompanyView,
): Promise<Page> {
  try {
    return await showCompany(deps, context, { ...view, ...(done !== undefined && { done }), checks: await work });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    const { errors, extensions, message } = error;
    const why =
      error.code === "endpoint_check_failed"
        ? { checks: extensions.checks as CheckView[] }
        : errors !== undefined
          ? { errors }
          : { refusal: message };
    return { ...(await showCompany(deps, context, { ...view, ...why })), status: 422 };
  }
}

async function showCompany(deps: PageDeps, { user, formToken }: PortalContext, view: CompanyView): Promise<Page> {
  const endpoint = await readEndpoint(deps, user.organisationId);
  const { draft = draftOf(endpoint), errors, isRotation = false, checks, done } = view;
  const none: FieldErrors = new Map();
  const refusal = view.refusal ?? (errors && "Nothing was saved. Please correct the marked fields.");
  const main = html`
    <header class="page-head"><h1>Company profile</h1></header>
    <p class="lead">The endpoint of ${user.organisationName}: it receives a webhook when a worker responds to an offer or adds a contact.</p>
    ${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
    ${checks && (checks.length === 0 ? switchSection(draft) : checksSection(draft.baseAddress, checks, done))}
    <div class="columns">
      ${profileForm({ draft, errors: (!isRotation && errors) || none, formToken, isSaved: endpoint !== undefined })}
      <div class="stack">
        ${healthSection(endpoint, deps.now(), enableForm(formToken))}
        ${endpoint && rotationForm({ errors: (isRotation && errors) || none, formToken })}
      </div>
    </div>`;
  return { title: "Company profile", main };
}

/** Shown after a change without a secret, which makes no checks. */
const switchSection = ({ suggestsContacts }: ProfileDraft): Markup => html`
    <p class="notice good" role="status">Suggestions are ${suggestsContacts ? "on" : "off"}. Nothing else was changed, so your endpoint was not checked.</p>`;

const draftOf = (endpoint: ReadEndpoint | undefined): ProfileDraft => ({
  baseAddress: endpoint?.base_address ?? "",
  scheme: endpoint?.scheme ?? "timestampDigest",
  suggestsContacts: endpoint?.suggests_contacts ?? false,
});
