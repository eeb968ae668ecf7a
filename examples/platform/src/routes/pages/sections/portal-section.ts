import { person, readPerson, type SignedInPerson } from "../../portal/person.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PageContext, PageSection, ShowPage, SubmitForm } from "../routing/page.ts";
import { endpointStrip } from "./endpoint-strip.ts";

export type PortalContext = PageContext<SignedInPerson>;
export type PortalPage = ShowPage<SignedInPerson>;
export type PortalForm = SubmitForm<SignedInPerson>;

/** The portal, for an organisation's users. */
export const portalSection: PageSection<SignedInPerson> = {
  role: person,
  cookie: "offers-portal",
  home: "/",
  signInPath: "/sign-in",
  signOutPath: "/sign-out",
  accountPath: "/account",
  signIn: {
    title: "Sign in to the portal",
    lead: html`For organisations that offer work or integrate. If you are a worker, <a href="/app/sign-in">sign in to the app</a>.`,
    label: "Email address",
    type: "email",
  },
  readUser: readPerson,
  getTimeZone: ({ timeZone }) => timeZone,
  zoneLine: ({ times, isBrowserZone, user }) =>
    html`Times are in <a href="/company#time-zone">${times.timeZone}</a>, ${isBrowserZone ? "your browser's time zone" : `for everyone at ${user.organisationName}`}.`,
  question: zoneQuestion,
  strip: endpointStrip,
  links: [
    ["/offers", "Offers", "/offers/"],
    ["/deliveries", "Deliveries", "/deliveries/"],
    ["/invitations", "Invitations", "/invitations/"],
    ["/company", "Company", "/company/"],
    ["/mailbox", "Mailbox", "/mailbox/"],
  ],
  streamUrl: ({ livePosition }) => `/live?since=${livePosition}`,
  userName: ({ name, organisationName }) => html`<strong>${organisationName}</strong> <span>${name}</span>`,
  body: ({ navigation, signedIn, strip, question, zoneLine, main }) => html`
<header class="top">
  <a class="brand" href="/">Offers</a>
  ${navigation && html`<nav aria-label="Portal">${navigation}</nav>`}
  ${signedIn}
</header>
${strip}
${question && html`<aside class="ask" aria-label="Question">${question}</aside>`}
${main}
<footer class="bottom">
  <p>The reference platform. ${zoneLine}<span id="live-state" role="status"></span></p>
</footer>`,
};

/**
 * Renders a form that asks for the organisation's time zone, unless someone has chosen it. The browser's zone is only a
 * suggestion, because the choice applies to everyone (D-115).
 */
function zoneQuestion(context: PortalContext): Markup | undefined {
  const { user, times, isBrowserZone, request } = context;
  if (user.timeZone !== null) return undefined;
  const { timeZone } = times;
  return html`
  <form method="post" action="/company/time-zone" class="panel question" id="zone-question" aria-label="Time zone of ${user.organisationName}">
    ${formTokenField(context)}
    <input type="hidden" name="next" value="${request.method === "GET" ? request.originalUrl : ""}">
    <p><strong>Which time zone does ${user.organisationName} work in?</strong>
      Until it is chosen, you see times in ${timeZone}${isBrowserZone && ", your browser's time zone"}, and emails show them in UTC. The choice applies to everyone at ${user.organisationName}.</p>
    <div class="row">
      <button name="timeZone" value="${timeZone}" class="small">Use ${timeZone} for everyone</button>
      <a class="button quiet small" href="/company#time-zone">Choose a different time zone</a>
    </div>
  </form>`;
}
