import { html } from "hono/html";
import type { CheckView } from "../../portal/profile/check-endpoint.ts";
import { type ReadEndpoint, readEndpoint } from "../../portal/profile/read-endpoint.ts";
import { enableAgain } from "../../portal/profile/reenable-endpoint.ts";
import { rotateSecret } from "../../portal/profile/rotate-secret.ts";
import { saveProfile } from "../../portal/profile/save-profile.ts";
import { type FieldErrors, ProblemError } from "../../problem/problem-error.ts";
import type { Markup } from "../layout/markup.ts";
import type { PortalVisit } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { checksPart } from "./checks-section.ts";
import { enableForm } from "./enable-form.ts";
import { healthPart } from "./health-section.ts";
import { type ProfileDraft, readProfileDraft } from "./profile-draft.ts";
import { profileForm } from "./profile-form.ts";
import { rotationForm } from "./rotation-form.ts";

/** `GET /company` */
export const companyPage =
  (deps: PageDeps) =>
  (visit: PortalVisit): Promise<Page> =>
    showCompany(deps, visit, {});

/** `POST /company`: makes both checks, and saves when they pass. What they said is shown either way. Without a secret it turns the switch. */
export const saveCompanyForm =
  (deps: PageDeps) =>
  (visit: PortalVisit, form: URLSearchParams): Promise<Page> => {
    const draft = readProfileDraft(form);
    const secret = secretOf(form);
    // An input that is left empty is none.
    const work = saveProfile(deps, visit.who, { ...draft, ...(secret !== "" && { secret }) });
    return showOutcome(deps, visit, work, { draft, done: "The profile is saved." });
  };

/** `POST /company/rotation` */
export const rotateSecretForm =
  (deps: PageDeps) =>
  (visit: PortalVisit, form: URLSearchParams): Promise<Page> => {
    const work = rotateSecret(deps, visit.who, { secret: secretOf(form) });
    const done = "The new secret is in use. The old one counts for another day.";
    return showOutcome(deps, visit, work, { isRotation: true, done });
  };

/** `POST /company/enable` */
export const enableEndpointForm =
  (deps: PageDeps) =>
  (visit: PortalVisit): Promise<Page> =>
    showOutcome(deps, visit, enableAgain(deps, visit.who), {
      done: "The endpoint is switched on. What was held is being delivered.",
    });

const secretOf = (form: URLSearchParams): string => form.get("secret") ?? "";

interface CompanyView {
  draft?: ProfileDraft;
  errors?: FieldErrors;
  /** Whether it was the form for another secret that was sent. */
  isRotation?: boolean;
  /** That were just made. */
  checks?: CheckView[];
  /** What they led to. */
  done?: string;
  /** Anything else that prevented it. */
  refusal?: string;
}

/** The page after one of its forms: with the checks that were made, or with what is wrong beside the inputs. */
async function showOutcome(
  deps: PageDeps,
  visit: PortalVisit,
  work: Promise<CheckView[]>,
  { done, ...view }: CompanyView,
): Promise<Page> {
  try {
    return await showCompany(deps, visit, { ...view, ...(done !== undefined && { done }), checks: await work });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    const { errors, extensions, message } = error;
    const why =
      error.code === "endpoint_check_failed"
        ? { checks: extensions.checks as CheckView[] }
        : errors !== undefined
          ? { errors }
          : { refusal: message };
    return { ...(await showCompany(deps, visit, { ...view, ...why })), status: 422 };
  }
}

async function showCompany(deps: PageDeps, { who, formToken }: PortalVisit, view: CompanyView): Promise<Page> {
  const endpoint = await readEndpoint(deps, who.organisationId);
  const { draft = draftOf(endpoint), errors, isRotation = false, checks, done } = view;
  const none: FieldErrors = new Map();
  const refusal = view.refusal ?? (errors && "Nothing was saved. Please correct what is marked below.");
  const main = html`
    <header class="page-head"><h1>Company profile</h1></header>
    <p class="lead">The endpoint of ${who.organisationName}: it is told when a worker answers an offer or adds a contact here.</p>
    ${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
    ${checks && (checks.length === 0 ? switchedPart(draft) : checksPart(draft.baseAddress, checks, done))}
    <div class="columns">
      ${profileForm({ draft, errors: (!isRotation && errors) || none, formToken, isSaved: endpoint !== undefined })}
      <div class="stack">
        ${healthPart(endpoint, deps.now(), enableForm(formToken))}
        ${endpoint && rotationForm({ errors: (isRotation && errors) || none, formToken })}
      </div>
    </div>`;
  return { title: "Company profile", main };
}

/** Without a secret nothing is called. */
const switchedPart = ({ suggestsContacts }: ProfileDraft): Markup => html`
    <p class="notice good" role="status">Suggestions are ${suggestsContacts ? "on" : "off"}. Nothing else was changed, so your endpoint was not checked.</p>`;

const draftOf = (endpoint: ReadEndpoint | undefined): ProfileDraft => ({
  baseAddress: endpoint?.base_address ?? "",
  scheme: endpoint?.scheme ?? "timestampDigest",
  suggestsContacts: endpoint?.suggests_contacts ?? false,
});
