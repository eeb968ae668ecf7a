import { apiKeyHeader } from "@offers/contract/decisions";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import {
  type ApiKeyRow,
  apiKeySchema,
  createApiKey,
  readApiKey,
  readApiKeys,
  revokeApiKey,
} from "../../portal/profile/api-keys.ts";
import { dataTable } from "../layout/data-table.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { idempotencyField, submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";

/** `GET /api-keys` */
export const apiKeysPage: PortalPage = (context) => renderKeys(context);

/** `POST /api-keys`: creates a key and shows it. Submitting the same form again neither creates a second key nor shows the first again (D-119). */
export const handleCreateApiKey: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const name = form.get("name")?.trim() ?? "";
  // Stays undefined if the form was submitted before, because `submitOnce` then does not call the function.
  let createdKey: string | undefined;
  try {
    const key = parseBody(apiKeySchema, { name });
    const redirect = await submitOnce(context, form, user.organisationId, async (trx) => {
      createdKey = await createApiKey(trx, deps, user, key);
      return {
        to: "/api-keys",
        notice: `The key “${name}” was shown only once. If you lost it, revoke it and create a new one.`,
      };
    });
    return createdKey === undefined ? redirect : await renderKeys(context, { createdKey });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // Show an error without a field, such as too many keys, at the only field.
    const { errors = new Map([["name", [error.message]]]) } = error;
    return { ...(await renderKeys(context, { name, errors })), status: 422 };
  }
};

/** Renders the form again with the input that was submitted before the session expired. */
export const restoreApiKeyForm: PortalForm = (context, form) => renderKeys(context, { name: form.get("name") ?? "" });

/** `GET /api-keys/{id}/revoke`: asks for confirmation, since a revoked key cannot be used again. */
export const revokeApiKeyPage: PortalPage = async (context) => {
  const { deps, user, times } = context;
  const key = await readApiKey(deps, user, context.id);
  const { agencyName, lastUsedAt } = key;
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/api-keys">API keys</a></p>
        <h1>Revoke ${keyName(key)}?</h1>
      </div>
    </header>
    <form method="post" action="/api-keys/${encodeURIComponent(key.id)}/revoke" class="panel">
      ${formTokenField(context)}
      <dl class="facts">
        <dt>Key</dt><dd>${keyHint(key)}</dd>
        <dt>Used by</dt><dd>${keyHolder(key)}</dd>
        <dt>Created</dt><dd>${times.time(key.createdAt)}</dd>
        <dt>Last used</dt><dd>${lastUsedAt === null ? "Never" : times.time(lastUsedAt)}</dd>
      </dl>
      <p>
        Programs that send this key will get 401 immediately. They will no longer be able to create, read, complete or withdraw offers
        for ${user.organisationName}.
        ${agencyName !== null && `${agencyName} will no longer see your offers in the portal, unless it has a different key. `}This cannot be undone.
      </p>
      <div class="row">
        <button class="danger">Revoke the key</button>
        <a class="button quiet" href="/api-keys">Keep it</a>
      </div>
    </form>`;
  return { title: `Revoke ${keyName(key)}`, main };
};

/** `POST /api-keys/{id}/revoke` */
export const handleRevokeApiKey: PortalForm = async ({ deps, user, id }) => {
  const { name } = await revokeApiKey(deps, user, id);
  const subject = name === "" ? "The key" : `The key “${name}”`;
  return { to: "/api-keys", notice: `${subject} was revoked.` };
};

interface KeysView {
  createdKey?: string;
  name?: string;
  errors?: FieldErrors;
}

async function renderKeys(context: PortalContext, { createdKey, name, errors }: KeysView = {}): Promise<Page> {
  const { deps, user } = context;
  const keys = await readApiKeys(deps, user);
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/company">Company profile</a></p>
        <h1>API keys</h1>
      </div>
    </header>
    <p class="lead">Programs authenticate as ${user.organisationName} by sending a key in the <code>${apiKeyHeader}</code> header.</p>
    ${createdKey && newKeySection(createdKey)}
    <section class="panel" aria-label="Keys">
      ${keys.length === 0 ? html`<p class="empty">No keys yet.</p>` : keysTable(context, keys)}
    </section>
    <form method="post" action="/api-keys" class="panel narrow">
      <h2>Create a key</h2>
      ${formTokenField(context)}
      ${idempotencyField()}
      ${field({ name: "name", label: "Name", value: name, required: true, hint: "The program that uses it, such as Rota system.", errors: errors?.get("name"), autocomplete: "off" })}
      <button>Create the key</button>
    </form>`;
  return { title: "API keys", main };
}

const newKeySection = (key: string): Markup => html`
    <section class="panel notice good" role="status" aria-labelledby="new-key-title">
      <h2 id="new-key-title">Your new key</h2>
      <p>Copy it now. It cannot be shown again, because only its hash is stored.</p>
      <p class="row"><code class="new-key" id="new-key">${key}</code> <button type="button" class="quiet small" data-copy="new-key" aria-label="Copy the key" hidden>Copy</button></p>
    </section>`;

const keysTable = (context: PortalContext, rows: readonly ApiKeyRow[]): Markup =>
  dataTable<ApiKeyRow>({
    caption: "API keys, newest first",
    columns: [
      { heading: "Name", cell: keyName },
      { heading: "Key", cell: keyHint },
      { heading: "Held by", cell: keyHolder },
      { heading: "Created", cell: ({ createdAt }) => context.times.time(createdAt) },
      {
        heading: "Last used",
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : context.times.time(lastUsedAt)),
      },
      { heading: "Revoke", cell: revokeLink },
    ],
    rows,
  });

const keyName = ({ name }: ApiKeyRow): string => name || "Unnamed key";

const keyHint = ({ hint }: ApiKeyRow): Markup => (hint === "" ? html`–` : html`<code>${hint}</code>`);

const keyHolder = ({ agencyName }: ApiKeyRow): string => agencyName ?? "Your organisation";

const revokeLink = (key: ApiKeyRow): Markup =>
  html`<a class="button quiet small" href="/api-keys/${encodeURIComponent(key.id)}/revoke" aria-label="Revoke ${keyName(key)}">Revoke…</a>`;
