import { html } from "hono/html";
import { lastTold } from "../../push/told-notifications.ts";
import type { Store } from "../../store/store.ts";
import { worker } from "../../worker-app/signed-in-worker.ts";
import { htmlDocument } from "../layout/document.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import type { Visit } from "../routing/page-context.ts";
import type { Audience } from "../routing/page-section.ts";

/** The worker who holds the phone. */
export interface SignedInWorker {
  id: string;
  name: string;
  /** The last they were told when their page was made: what its event stream goes on after. */
  lastNotificationId: number;
}

export type AppVisit = Visit<SignedInWorker>;

const places = [
  ["/app", "Notifications", "/app/offers/"],
  ["/app/contacts", "Contacts", "/app/contacts/"],
  ["/app/devices", "Devices", "/app/devices/"],
] as const;

/** Workers, on a phone. */
export const appAudience: Audience<SignedInWorker> = {
  role: worker,
  cookie: "offers-app",
  home: "/app",
  signInPath: "/app/sign-in",
  readSignedIn,
  frame: ({ title, main }, { visit, notice }) =>
    htmlDocument({
      title,
      bodyClass: "app",
      live: visit && `/app/live?since=${visit.who.lastNotificationId}`,
      body: html`
<header class="top">
  <a class="brand" href="/app">Offers</a>
  ${visit && signedIn(visit)}
</header>
<main id="main" tabindex="-1">
  ${notice && html`<p class="notice good" role="status">${notice}</p>`}
  ${main}
</main>
<p class="live-state" id="live-state" role="status"></p>
${visit && navigation(visit)}`,
    }),
};

async function readSignedIn({ db }: Store, id: string): Promise<SignedInWorker> {
  const { name, last } = await db
    .selectFrom("workers")
    .select("name")
    .select((expressions) => lastTold(expressions).as("last"))
    .where("workers.id", "=", id)
    .executeTakeFirstOrThrow();
  return { id, name, lastNotificationId: last ?? 0 };
}

const navigation = ({ request }: AppVisit): Markup => html`
  <nav class="tabs" aria-label="App"><ul>${places.map(([path, name, below]) => {
    const isHere = request.path === path || request.path.startsWith(below);
    return html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${name}</a></li>`;
  })}</ul></nav>`;

const signedIn = (visit: AppVisit): Markup => html`
  <form method="post" action="/app/sign-out" class="who">
    ${formTokenField(visit)}
    <p><span>${visit.who.name}</span></p>
    <button class="quiet small">Sign out</button>
  </form>`;
