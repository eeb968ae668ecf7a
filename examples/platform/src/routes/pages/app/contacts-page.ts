import { parseBody } from "../../../http/validation.ts";
import { addContact, contactSchema, readOrganisation, readOrganisations } from "../../worker-app/contacts.ts";
import { formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import { paginate, readParameter } from "../layout/pagination.ts";
import { idempotencyField, submitOnce } from "../routing/submit-once.ts";
import type { AppForm, AppPage } from "../sections/app-section.ts";

const limit = 200;

/** `GET /app/contacts?after=…`: lists organisations that a worker can add as a contact. */
export const contactsPage: AppPage = async (context) => {
  const after = readParameter(context.request, "after");
  const organisations = await readOrganisations(context.deps, { after, limit: limit + 1 });
  const { pageRows, links } = paginate(organisations, { path: "/app/contacts", limit, after });
  const main = html`
      <header class="page-head"><h1>Contacts</h1></header>
      <p class="lead">Add an organisation to share your availability with it. The organisation is notified.</p>
      ${pageRows.length === 0 && html`<p class="empty">There are no organisations yet.</p>`}
      <ul class="menu">${pageRows.map(
        ({ id, name }) => html`
        <li>
          <form method="post" action="/app/contacts" class="row">
            ${formTokenField(context)}
            ${idempotencyField()}
            <strong>${name}</strong>
            <button class="quiet small" name="organisationId" value="${id}" aria-label="Add a contact at ${name}">Add a contact</button>
          </form>
        </li>`,
      )}</ul>
      ${links}`;
  return { title: "Contacts", main };
};

/** `POST /app/contacts` */
export const handleAddContact: AppForm = async (context, form) => {
  const { deps, user } = context;
  const { organisationId } = parseBody(contactSchema, { organisationId: form.get("organisationId") });
  const { name } = await readOrganisation(deps, organisationId);
  return submitOnce(context, form, organisationId, async (trx) => {
    await addContact(trx, deps, user.id, organisationId);
    return { to: "/app/contacts", notice: `${name} has been notified that you share your availability.` };
  });
};
