import { html } from "hono/html";
import { person, readPerson, type SignedInPerson } from "../../portal/person/signed-in-person.ts";
import { htmlDocument } from "../layout/document.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import type { Visit } from "../routing/page-context.ts";
import type { Audience } from "../routing/page-section.ts";

export type PortalVisit = Visit<SignedInPerson>;

const places = [
  ["/offers", "Offers"],
  ["/deliveries", "Deliveries"],
  ["/invitations", "Invitations"],
  ["/company", "Company profile"],
  ["/mailbox", "Mailbox"],
] as const;

/** People of an organisation. */
export const portalAudience: Audience<SignedInPerson> = {
  role: person,
  cookie: "offers-portal",
  home: "/",
  signInPath: "/sign-in",
  readSignedIn: (store, id) => readPerson({ store }, id),
  frame: ({ title, main }, { visit, notice }) =>
    htmlDocument({
      title,
      live: visit && `/live?since=${visit.livePosition}`,
      body: html`
<header class="top">
  <a class="brand" href="/">Offers</a>
  ${visit && navigation(visit)}
  ${visit && signedIn(visit)}
</header>
<main id="main" tabindex="-1">
  ${notice && html`<p class="notice good" role="status">${notice}</p>`}
  ${main}
</main>
<footer class="bottom">
  <p>The reference platform. Times are in UTC.<span id="live-state" role="status"></span></p>
</footer>`,
    }),
};

const navigation = ({ request }: PortalVisit): Markup => html`
  <nav aria-label="Portal"><ul>${places.map(([path, name]) => {
    const isHere = request.path === path || request.path.startsWith(`${path}/`);
    return html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${name}</a></li>`;
  })}</ul></nav>`;

const signedIn = (visit: PortalVisit): Markup => html`
  <form method="post" action="/sign-out" class="who">
    ${formTokenField(visit)}
    <p><strong>${visit.who.organisationName}</strong> <span>${visit.who.name}</span></p>
    <button class="quiet small">Sign out</button>
  </form>`;
