import { html } from "hono/html";
import { type ReadEndpoint, readEndpoint } from "../../portal/read-endpoint.ts";
import { type CheckView, saveProfile } from "../../portal/save-profile.ts";
import { type FieldErrors, ProblemError } from "../../problem/problem-error.ts";
import type { Page } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";
import { checksPart } from "./checks-part.ts";
import { healthPart } from "./health-part.ts";
import { type ProfileDraft, readProfileDraft } from "./profile-draft.ts";
import { profileForm } from "./profile-form.ts";

/** `GET /company` */
export const companyPage =
  (deps: PageDeps) =>
  (visit: PortalVisit): Promise<Page> =>
    showCompany(deps, visit, {});

/** `POST /company`: makes both checks, and saves when they pass. What they said is shown either way. */
export const saveCompanyForm =
  (deps: PageDeps) =>
  async (visit: PortalVisit, form: URLSearchParams): Promise<Page> => {
    const draft = readProfileDraft(form);
    try {
      const checks = await saveProfile(deps, visit.who, {
        baseAddress: draft.baseAddress,
        suggestsContacts: draft.suggestsContacts,
        secret: form.get("secret") ?? "",
      });
      return await showCompany(deps, visit, { draft, checks });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { errors, extensions } = error;
      if (error.code === "endpoint_check_failed")
        return showCompany(deps, visit, { draft, checks: extensions.checks as CheckView[], status: 422 });
      if (errors !== undefined) return showCompany(deps, visit, { draft, errors, status: 422 });
      throw error;
    }
  };

interface CompanyView {
  draft?: ProfileDraft;
  errors?: FieldErrors;
  /** Of the address that was just entered. */
  checks?: CheckView[];
  status?: number;
}

async function showCompany(deps: PageDeps, { who, formToken }: PortalVisit, view: CompanyView): Promise<Page> {
  const endpoint = await readEndpoint(deps, who.organisationId);
  const { draft = draftOf(endpoint), errors = new Map(), checks, status = 200 } = view;
  const main = html`
    <header class="page-head"><h1>Company profile</h1></header>
    <p class="lead">The endpoint of ${who.organisationName}: it is told when a worker answers an offer or adds a contact here.</p>
    ${errors.size > 0 && html`<p class="notice bad" role="alert">Nothing was saved. Please correct what is marked below.</p>`}
    ${checks && checksPart(draft.baseAddress, checks)}
    <div class="columns">
      ${profileForm({ draft, errors, formToken })}
      ${healthPart(endpoint, deps.now())}
    </div>`;
  return { title: "Company profile", main, status };
}

const draftOf = (endpoint: ReadEndpoint | undefined): ProfileDraft => ({
  baseAddress: endpoint?.base_address ?? "",
  scheme: endpoint?.scheme ?? "timestampDigest",
  suggestsContacts: endpoint?.suggests_contacts ?? false,
});
