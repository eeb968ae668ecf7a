import { readEndpoint } from "../../portal/profile/read-profile.ts";
import { removeProfile } from "../../portal/profile/remove-profile.ts";
import { formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html } from "../layout/markup.ts";
import type { PortalForm, PortalPage } from "../sections/portal-section.ts";

/** `GET /company/remove`: asks for confirmation, since the secret is deleted. */
export const removeProfilePage: PortalPage = async (context) => {
  const endpoint = await readEndpoint(context.deps, context.user.organisationId);
  if (endpoint === undefined) return { to: "/company" };
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/company">Company profile</a></p>
        <h1>Remove the base URL?</h1>
      </div>
    </header>
    <form method="post" action="/company/remove" class="panel">
      ${formTokenField(context)}
      <p>
        ${endpoint.base_address} will no longer receive webhooks, and its secret will be deleted. New events will not be kept for later.
        ${Number(endpoint.pending) > 0 && `${formatCount(Number(endpoint.pending), "pending event")} will be held until you save a base URL again.`}
      </p>
      <div class="row">
        <button class="danger">Remove the base URL</button>
        <a class="button quiet" href="/company">Keep it</a>
      </div>
    </form>`;
  return { title: "Remove the base URL", main };
};

/** `POST /company/remove` */
export const handleRemoveProfile: PortalForm = async ({ deps, user }) => {
  await removeProfile(deps, user);
  return { to: "/company", notice: "The base URL was removed. Webhooks are no longer sent." };
};
