import type { Request } from "express";
import { invitationExpiry } from "../../../accounts/invitations.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { type Methods, pathParameter } from "../../../http/routes.ts";
import { parseBody } from "../../../http/validation.ts";
import {
  acceptAsWorker,
  joinAsWorker,
  joinSchema,
  type OpenInvitation,
  readInvitation,
} from "../../worker-app/join.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import { localTimes } from "../layout/time.ts";
import type { Page, PageDeps } from "../routing/page.ts";
import { receiveForm } from "../routing/receive-form.ts";
import { sendPage } from "../routing/send-page.ts";
import { endSession, outdatedPageError, pageHeaders, storeBrowserTimeZone } from "../routing/sign-in-page.ts";
import { appSection } from "../sections/app-section.ts";
import { openPageSession, type PageSession, renewSession } from "../security/page-session.ts";

/**
 * Serves `/app/join/{token}`, the page that an invitation email links to (D-122). A GET does not use up the link, because mail
 * scanners follow links. Only submitting the form does.
 */
export function joinRoutes(deps: PageDeps): Methods {
  const readToken = (request: Request): string => pathParameter(request, "token");
  return {
    async get(request, response) {
      const session = await openPageSession(deps.cookies, appSection, request, response);
      const token = readToken(request);
      const invitation = await readInvitation(deps, token);
      await sendPage(appSection, response, session, undefined, joinPage(session, token, invitation));
    },
    async post(request, response) {
      const { form, session, visitor, isCurrent } = await receiveForm(
        deps,
        appSection,
        request,
        response,
        "credentials",
      );
      const token = readToken(request);
      const invitation = await readInvitation(deps, token);
      const password = form.get("password") ?? "";
      const name = form.get("name")?.trim() ?? "";
      try {
        if (!isCurrent) throw outdatedPageError();
        const newSession = invitation.isWorker
          ? await acceptAsWorker(deps, token, { password, visitor })
          : await joinAsWorker(deps, token, parseBody(joinSchema, { name, password }), visitor);
        await storeBrowserTimeZone(deps, appSection, newSession.token, form.get("timeZone"));
        await endSession(deps, appSection, session);
        const notice = `You now share your availability with ${invitation.organisationName}. Its offers will appear here.`;
        await renewSession(session, { token: newSession.token, notice });
        response.redirect(303, appSection.home);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        response.set(pageHeaders(error));
        const { errors, message } = error;
        const page = joinPage(session, token, invitation, { name, errors, problem: errors ? undefined : message });
        await sendPage(appSection, response, session, undefined, { ...page, status: errors ? 422 : error.status });
      }
    },
  };
}

interface JoinView {
  name?: string;
  errors?: FieldErrors | undefined;
  problem?: string | undefined;
}

function joinPage(session: PageSession, token: string, invitation: OpenInvitation, view: JoinView = {}): Page {
  const { organisationName, invitedBy, emailAddress, isWorker } = invitation;
  const { errors, problem } = view;
  // The visitor is not signed in, so their time zone is unknown.
  const { time } = localTimes("UTC");
  const main = html`
    <header class="page-head"><h1>${organisationName} invites you</h1></header>
    <p class="lead">${invitedBy} at ${organisationName} invites you to share your availability. ${organisationName} can then offer you work, and you decide on each offer.</p>
    ${problem && html`<p class="notice bad" role="alert">${problem}</p>`}
    <form method="post" action="/app/join/${encodeURIComponent(token)}" class="panel narrow">
      ${formTokenField(session)}
      <input type="hidden" name="timeZone" data-time-zone>
      <p>You will sign in with <strong>${emailAddress}</strong>.</p>
      ${!isWorker && field({ name: "name", label: "Your name", value: view.name ?? invitation.name, required: true, autocomplete: "name", errors: errors?.get("name") })}
      ${field({
        name: "password",
        label: isWorker ? "Password" : "Choose a password",
        type: "password",
        required: true,
        ...(isWorker
          ? { autocomplete: "current-password" }
          : { autocomplete: "new-password", hint: "At least 8 characters." }),
        errors: errors?.get("password"),
      })}
      <button>${isWorker ? "Share my availability" : "Join and share my availability"}</button>
      <p class="fine">${organisationName} will see your name and that you share your availability. The link is valid until ${time(invitationExpiry(invitation.invitedAt))}.</p>
    </form>`;
  return { title: `${organisationName} invites you`, main };
}
