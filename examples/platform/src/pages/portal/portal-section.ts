import { html } from "hono/html";
import { person, readPerson, type SignedInPerson } from "../../portal/person/signed-in-person.ts";
import { htmlDocument } from "../layout/document.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import type { PageContext } from "../routing/page-context.ts";
import type { PageSection } from "../routing/page-section.ts";

export type PortalContext = PageContext<SignedInPerson>;

const places = [
  ["/offers", "Offers"],
  ["/deliveries", "Deliveries"],
  ["/invitations", "Invitations"],
  ["/company", "Company profile"],
  ["/mailbox", "Mailbox"],
] as const;

/** The pages of people of an organisation. */
export const portalSection: PageSection<SignedInPerson> = {
  role: person,
  cookie: "offers-portal",
  home: "/",
  signInPath: "/sign-in",
  readSignedIn: (store, id) => readPerson({ store }, id),
  frame: ({ title, main }, { context, notice }) =>
    htmlDocument({
      title,
      live: context && `/live?since=${context.livePosition}`,
      body: html`
<header class="top">
  <a class="brand" href="/">Offers</a>
  ${context && navigation(context)}
  ${context && signedIn(context)}
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

const navigation = ({ request }: PortalContext): Markup => html`
  <nav aria-label="Portal"><ul>${places.map(([path, name]) => {
    const isHere = request.path === path || request.path.startsWith(`${path}/`);
    return html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${name}</a></li>`;
  })}</ul></nav>`;

const signedIn = (context: PortalContext): Markup => html`
  <form method="post" action="/sign-out" class="who">
    ${formTokenField(context)}
    <p><strong>${context.user.organisationName}</strong> <span>${context.user.name}</span></p>
    <button class="quiet small">Sign out</button>
  </form>`;
