import { html } from "hono/html";
import { invitationsCursor, listInvitations } from "../../portal/invitations/invitations.ts";
import { emailAddressesOf } from "../../portal/person/signed-in-person.ts";
import { suggestingOrganisations } from "../../portal/suggestions/suggesting-organisations.ts";
import { dataTable } from "../layout/data-table.ts";
import { pageLinks, positionFrom, withCursor } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import { searchForm } from "./search-form.ts";

const limit = 100;

/** `GET /invitations?before=…`: the search form and the invitations so far. */
export const invitationsPage =
  (deps: PageDeps) =>
  async ({ user, request, formToken }: PortalContext): Promise<PageResult> => {
    const { after, before } = positionFrom(request, invitationsCursor);
    const { rows: shown, next } = await listInvitations(deps, user, { before, limit });
    const links = pageLinks({ after, next, addressOf: (key) => withCursor("/invitations", "before", key) });
    const main = html`
      <header class="page-head"><h1>Invitations</h1></header>
      <p class="lead">Organisations that know your email addresses suggest people who worked there. Select the people to invite.</p>
      ${searchForm({
        formToken,
        organisations: await suggestingOrganisations(deps, user),
        emailAddresses: await emailAddressesOf(deps, user),
      })}
      <section class="panel" aria-labelledby="invited">
      <h2 id="invited">Invited so far</h2>
      ${
        shown.length === 0
          ? html`<p class="empty">${after === undefined ? "No invitations yet." : "No earlier invitations."}</p>`
          : dataTable({
              caption: "Invited people",
              columns: [
                { heading: "Name", cell: ({ name }) => name },
                { heading: "Email address", cell: ({ emailAddress }) => emailAddress },
                { heading: "Suggested by", cell: ({ suggestedBy }) => suggestedBy },
                { heading: "Invited", cell: ({ invitedAt }) => time(invitedAt) },
              ],
              rows: shown,
            })
      }
      ${links}
      </section>`;
    return { title: "Invitations", main };
  };
