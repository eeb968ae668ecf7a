import { person, readPerson, type SignedInPerson } from "../../portal/person.ts";
import { defaultTimeZone } from "../../time-zones/time-zone.ts";
import { html } from "../layout/markup.ts";
import type { PageContext, PageSection, ShowPage, SubmitForm } from "../routing/page.ts";

export type PortalContext = PageContext<SignedInPerson>;
export type PortalPage = ShowPage<SignedInPerson>;
export type PortalForm = SubmitForm<SignedInPerson>;

/** The pages of people of an organisation. */
export const portalSection: PageSection<SignedInPerson> = {
  role: person,
  cookie: "offers-portal",
  home: "/",
  signInPath: "/sign-in",
  signOutPath: "/sign-out",
  signIn: {
    title: "Sign in to the portal",
    lead: html`For people of organisations that offer work or integrate. Workers <a href="/app/sign-in">sign in to the app</a>.`,
    label: "Email address",
    type: "email",
  },
  readUser: readPerson,
  timeZoneOf: ({ timeZone }) => timeZone ?? defaultTimeZone,
  async guessTimeZone({ db }, personId, timeZone) {
    await db
      .updateTable("organisations")
      .set({ time_zone: timeZone })
      .where("time_zone", "is", null)
      .where("id", "in", ({ selectFrom }) =>
        selectFrom("people").select("organisation_id").where("people.id", "=", personId),
      )
      .execute();
  },
  places: [
    ["/offers", "Offers", "/offers/"],
    ["/deliveries", "Deliveries", "/deliveries/"],
    ["/invitations", "Invitations", "/invitations/"],
    ["/company", "Company profile", "/company/"],
    ["/mailbox", "Mailbox", "/mailbox/"],
  ],
  streamAddress: ({ livePosition }) => `/live?since=${livePosition}`,
  userName: ({ name, organisationName }) => html`<strong>${organisationName}</strong> <span>${name}</span>`,
  body: ({ navigation, signedIn, timeZone, main }) => html`
<header class="top">
  <a class="brand" href="/">Offers</a>
  ${navigation && html`<nav aria-label="Portal">${navigation}</nav>`}
  ${signedIn}
</header>
${main}
<footer class="bottom">
  <p>The reference platform. ${timeZone && html`Times are in <a href="/company#time-zone">${timeZone}</a>.`}<span id="live-state" role="status"></span></p>
</footer>`,
};
