import { html } from "hono/html";
import { listInvitations } from "../../portal/invitations.ts";
import { dataTable } from "../frame/data-table.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import { time } from "../frame/time.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";
import { searchForm } from "./search-form.ts";

/** `GET /invitations`: where a search begins, and who has been invited. */
export const invitationsPage =
  (deps: PageDeps) =>
  async ({ who }: PortalVisit): Promise<PageAnswer> => {
    const invitations = await listInvitations(deps, who);
    const main = html`
      <header class="page-head"><h1>Invitations</h1></header>
      <p class="lead">Organisations that know you suggest people who worked there. Pick whom to invite.</p>
      ${searchForm()}
      <section class="panel" aria-labelledby="invited">
      <h2 id="invited">Invited so far</h2>
      ${
        invitations.length === 0
          ? html`<p class="empty">Nobody yet.</p>`
          : dataTable({
              caption: "People who were invited",
              columns: [
                { heading: "Name", cell: ({ name }) => name },
                { heading: "E-mail address", cell: ({ emailAddress }) => emailAddress },
                { heading: "Suggested by", cell: ({ suggestedBy }) => suggestedBy },
                { heading: "Invited", cell: ({ invitedAt }) => time(invitedAt) },
              ],
              rows: invitations,
            })
      }
      </section>`;
    return { title: "Invitations", main };
  };
