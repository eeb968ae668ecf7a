import { invitationExpiry } from "../../../accounts/invitations.ts";
import { invitationList } from "../../portal/invitations/invitations.ts";
import { dataTable } from "../layout/data-table.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { readListPage } from "../layout/pagination.ts";
import type { PortalPage } from "../sections/portal-section.ts";
import { searchForm } from "./search-form.ts";

/** `GET /invitations?before=…`: shows the search form and the invitations sent so far. */
export const invitationsPage: PortalPage = async (context) => {
  const { rows, isNewest, links } = await readListPage(context, invitationList, 100);
  const main = html`
      <header class="page-head"><h1>Invitations</h1></header>
      <p class="lead">Organisations that recognise your email addresses suggest people who have worked for them. Select the people to invite.</p>
      ${await searchForm(context)}
      <section class="panel" aria-labelledby="invited">
      <h2 id="invited">Invited so far</h2>
      ${
        rows.length === 0
          ? html`<p class="empty">${isNewest ? "No invitations yet." : "No earlier invitations."}</p>`
          : dataTable({
              caption: "Invited people",
              columns: [
                { heading: "Name", cell: ({ name }) => name },
                { heading: "Email address", cell: ({ emailAddress }) => emailAddress },
                { heading: "Suggested by", cell: ({ suggestedBy }) => suggestedBy },
                {
                  heading: "Invited",
                  cell: ({ invitedAt, invitedBy }) => html`${context.times.time(invitedAt)} by ${invitedBy}`,
                },
                {
                  heading: "State",
                  cell: ({ acceptedAt, invitedAt }) => stateBadge(acceptedAt, invitedAt, context.deps.now()),
                },
              ],
              rows,
            })
      }
      ${links}
      </section>`;
  return { title: "Invitations", main };
};

function stateBadge(acceptedAt: Date | null, invitedAt: Date, now: Date): Markup {
  if (acceptedAt !== null) return badge("Joined", "good");
  return invitationExpiry(invitedAt) > now ? badge("Invited", "none") : badge("Expired", "warn");
}
