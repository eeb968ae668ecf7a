import type { Session } from "../../../accounts/sessions.ts";
import { readLastPosition } from "../../../push/notification-feed.ts";
import type { Store } from "../../../store/store.ts";
import { readNewOffers } from "../../worker-app/shifts.ts";
import { worker } from "../../worker-app/worker.ts";
import { assetPath } from "../layout/assets.ts";
import { html } from "../layout/markup.ts";
import type { PageContext, PageSection, ShowPage, SubmitForm } from "../routing/page.ts";

export interface SignedInWorker {
  id: string;
  name: string;
  timeZone: string | null;
  /** The position of the latest notification. The page's event stream starts after it. */
  lastPosition: number;
  /** Open offers that the worker has not seen, newest first. */
  newOffers: readonly { id: string; title: string }[];
}

export type AppContext = PageContext<SignedInWorker>;
export type AppPage = ShowPage<SignedInWorker>;
export type AppForm = SubmitForm<SignedInWorker>;

/** The worker's app, for phones. */
export const appSection: PageSection<SignedInWorker> = {
  role: worker,
  cookie: "offers-app",
  home: "/app",
  signInPath: "/app/sign-in",
  signOutPath: "/app/sign-out",
  accountPath: "/app/account",
  signIn: {
    title: "Sign in to the app",
    lead: html`For workers who share their availability. If you work for an organisation, <a href="/sign-in">sign in to the portal</a>.`,
    label: "Worker id or email address",
    type: "text",
  },
  readUser: readWorker,
  getTimeZone: ({ timeZone }) => timeZone,
  async storeBrowserTimeZone({ db }, id, timeZone) {
    await db
      .updateTable("workers")
      .set({ time_zone: timeZone })
      .where("time_zone", "is", null)
      .where("id", "=", id)
      .execute();
  },
  links: [
    ["/app", "Notifications", "/app/offers/"],
    ["/app/shifts", "Shifts", "/app/shifts/"],
    ["/app/contacts", "Contacts", "/app/contacts/"],
    ["/app/devices", "Devices", "/app/devices/"],
  ],
  bodyClass: "app",
  manifest: assetPath("app.webmanifest"),
  // Do not count the offer on this page, because the worker is opening it.
  countNew: ({ user, id }) => user.newOffers.filter((offer) => offer.id !== id).length,
  streamUrl: ({ user }) => `/app/live?since=${user.lastPosition}`,
  zoneLine: ({ times }) => html`Times are in <a href="/app/time-zone">${times.timeZone}</a>, your time zone.`,
  userName: ({ name }) => html`<span>${name}</span>`,
  strip: async ({ user: { newOffers }, id, request }) => {
    // Show nothing on the notifications page, which lists new offers. On an offer's page, ignore that offer.
    const [newest] = request.path === "/app" ? [] : newOffers.filter((offer) => offer.id !== id);
    return html`
<div class="strip" id="arrived" data-live="notification">${
      newest &&
      html`<p class="notice good" id="arrived-offer" role="status">New offer: <a href="/app/offers/${encodeURIComponent(newest.id)}">${newest.title}</a></p>`
    }</div>`;
  },
  body: ({ navigation, signedIn, strip, zoneLine, main }) => html`
<header class="top">
  <a class="brand" href="/app">Offers</a>
  ${signedIn}
</header>
${strip}
${main}
${zoneLine && html`<p class="zone fine">${zoneLine}</p>`}
<p class="live-state" id="live-state" role="status"></p>
${navigation && html`<nav class="tabs" id="tabs" data-live="notification" aria-label="App">${navigation}</nav>`}`,
};

async function readWorker(store: Store, { ownerId: id }: Session, now: () => Date): Promise<SignedInWorker> {
  const { name, timeZone } = await store.db
    .selectFrom("workers")
    .select(["name", "time_zone as timeZone"])
    .where("workers.id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    id,
    name,
    timeZone,
    lastPosition: await readLastPosition(store, id),
    newOffers: await readNewOffers({ store, now }, id),
  };
}
