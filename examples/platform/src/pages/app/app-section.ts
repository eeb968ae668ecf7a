import { html } from "hono/html";
import { lastTold } from "../../push/told-notifications.ts";
import type { Store } from "../../store/store.ts";
import { worker } from "../../worker-app/signed-in-worker.ts";
import { htmlDocument } from "../layout/document.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import type { PageContext } from "../routing/page-context.ts";
import type { PageSection } from "../routing/page-section.ts";

export interface SignedInWorker {
  id: string;
  name: string;
  /** The latest notification when the page was made, after which its event stream starts. */
  lastNotificationId: number;
}

export type AppContext = PageContext<SignedInWorker>;

const places = [
  ["/app", "Notifications", "/app/offers/"],
  ["/app/contacts", "Contacts", "/app/contacts/"],
  ["/app/devices", "Devices", "/app/devices/"],
] as const;

/** The worker's app, for phones. */
export const appSection: PageSection<SignedInWorker> = {
  role: worker,
  cookie: "offers-app",
  home: "/app",
  signInPath: "/app/sign-in",
  readSignedIn,
  frame: ({ title, main }, { context, notice }) =>
    htmlDocument({
      title,
      bodyClass: "app",
      live: context && `/app/live?since=${context.user.lastNotificationId}`,
      body: html`
<header class="top">
  <a class="brand" href="/app">Offers</a>
  ${context && signedIn(context)}
</header>
<main id="main" tabindex="-1">
  ${notice && html`<p class="notice good" role="status">${notice}</p>`}
  ${main}
</main>
<p class="live-state" id="live-state" role="status"></p>
${context && navigation(context)}`,
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

const navigation = ({ request }: AppContext): Markup => html`
  <nav class="tabs" aria-label="App"><ul>${places.map(([path, name, below]) => {
    const isHere = request.path === path || request.path.startsWith(below);
    return html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${name}</a></li>`;
  })}</ul></nav>`;

const signedIn = (context: AppContext): Markup => html`
  <form method="post" action="/app/sign-out" class="who">
    ${formTokenField(context)}
    <p><span>${context.user.name}</span></p>
    <button class="quiet small">Sign out</button>
  </form>`;
