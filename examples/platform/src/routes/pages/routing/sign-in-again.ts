import { type ProblemError, problemKinds } from "../../../http/problem.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PageSession } from "../security/page-session.ts";
import type { Page, PageContext, PageSection } from "./page.ts";
import { type Credentials, credentialFields, parseCredentials } from "./sign-in-page.ts";

/** The prefix of the sign-in fields, which distinguishes them from the original form's fields. */
const prefix = "signIn-";

/** Fields whose values are never included in a page. */
const secretFields = new Set(["password", "currentPassword", "newPassword", "secret"]);

/** Reads the credentials from the form on `signInAgainPage`. Returns undefined for any other form. */
export const readCredentials = (form: URLSearchParams): Credentials | undefined =>
  form.has(`${prefix}password`) ? parseCredentials(form, prefix) : undefined;

/** Returns the input that can be restored in a form: everything except its tokens, secrets and credentials. */
export const restorableInput = (form: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...form].filter(([name]) => name !== "formToken" && !secretFields.has(name) && !name.startsWith(prefix)),
  );

const hiddenFields = (input: URLSearchParams): Markup =>
  html`${[...input].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

/**
 * Returns the page for a form that is sent after its session has ended. On it, users can sign in without losing their input (D-147).
 *
 * @param path the path that the form was sent to
 * @param problem why the last sign-in failed; undefined before the first attempt
 */
export function signInAgainPage<User>(
  section: PageSection<User>,
  session: PageSession,
  path: string,
  form: URLSearchParams,
  problem?: ProblemError,
): Page {
  const main = html`
    <header class="page-head"><h1>Sign in again</h1></header>
    <p class="lead">Your session has ended, and nothing was changed. Sign in to continue. Your input is kept.</p>
    ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
    <form method="post" action="${path}" class="panel narrow">
      ${formTokenField(session)}
      ${hiddenFields(restorableInput(form))}
      ${credentialFields(section, readCredentials(form)?.name, prefix)}
      <button>Sign in</button>
    </form>`;
  return { title: problemKinds.unauthenticated.title, main, status: problem?.status ?? 401 };
}

/** Returns a page that asks whether to send the form again, for forms that cannot be restored with their input. */
export function sendAgainPage<User>({ request, formToken }: PageContext<User>, form: URLSearchParams): Page {
  const main = html`
    <header class="page-head"><h1>Send the form again?</h1></header>
    <form method="post" action="${request.originalUrl}" class="panel narrow">
      ${formTokenField({ formToken })}
      ${hiddenFields(restorableInput(form))}
      <p>The form was sent from a page that belongs to an earlier session, so nothing has been changed yet.</p>
      <button>Send it now</button>
    </form>`;
  return { title: "Send the form again?", main };
}
