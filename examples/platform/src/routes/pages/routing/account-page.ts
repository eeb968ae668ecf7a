import { changePassword, passwordChangeSchema, signOutEverywhere } from "../../../accounts/change-password.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import type { Page, PageContext, PageSection, ShowPage, SubmitForm } from "./page.ts";

/** Creates the handlers for a section's account page, where users change their password and sign out everywhere (D-162). */
export function accountPages<User>(section: PageSection<User>) {
  const { role, accountPath } = section;
  const show: ShowPage<User> = (context) => accountPage(accountPath, context);
  const change: SubmitForm<User> = async (context, form) => {
    const { deps, request, session } = context;
    const input = { currentPassword: form.get("currentPassword") ?? "", newPassword: form.get("newPassword") ?? "" };
    try {
      const passwords = parseBody(passwordChangeSchema, input);
      await changePassword(deps, role, { session, address: request.ip ?? "" }, passwords);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
      return { ...accountPage(accountPath, context, error.errors), status: 422 };
    }
    return { to: accountPath, notice: "Your password was changed. All other sessions have ended." };
  };
  const signOut: SubmitForm<User> = async ({ deps, session }) => {
    await signOutEverywhere(deps, role, session.ownerId);
    return { to: section.signInPath, notice: "You have been signed out everywhere." };
  };
  return { show, change, signOut };
}

function accountPage<User>(path: string, context: PageContext<User>, errors?: FieldErrors): Page {
  const passwordField = { type: "password", required: true } as const;
  const main = html`
    <header class="page-head"><h1>Your account</h1></header>
    <form method="post" action="${path}" class="panel narrow">
      ${formTokenField(context)}
      <h2>Change your password</h2>
      ${field({ ...passwordField, name: "currentPassword", label: "Current password", autocomplete: "current-password", errors: errors?.get("currentPassword") })}
      ${field({ ...passwordField, name: "newPassword", label: "New password", hint: "At least 8 characters.", autocomplete: "new-password", errors: errors?.get("newPassword") })}
      <p class="fine">You stay signed in here, and are signed out on all other devices.</p>
      <button>Change the password</button>
    </form>
    <form method="post" action="${path}/sign-out" class="panel narrow">
      ${formTokenField(context)}
      <h2>Sign out everywhere</h2>
      <p>Ends all your sessions, on this device and all others.</p>
      <button class="quiet">Sign out everywhere</button>
    </form>`;
  return { title: "Your account", main };
}
