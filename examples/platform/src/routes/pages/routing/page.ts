import type { Request, Response } from "express";
import type { Role, Session } from "../../../accounts/sessions.ts";
import type { Store } from "../../../store/store.ts";
import type { PortalDeps } from "../../portal/person.ts";
import type { WorkerAppDeps } from "../../worker-app/worker.ts";
import type { Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { LiveTopics } from "../live/live-topics.ts";
import type { CookieSettings } from "../security/page-session.ts";
import type { ReadForm } from "./read-form.ts";

export interface PageDeps extends PortalDeps, WorkerAppDeps {
  readForm: ReadForm;
  cookies: CookieSettings;
  live: LiveTopics;
  /** `https://offers.example` behind a proxy; undefined to use the Host header. */
  publicOrigin: string | undefined;
  /** Call it after a commit that started a redelivery. */
  wakeRedeliveries: () => void;
  /** Receives errors that become a page with status 500. */
  onFailedPage: (error: unknown, response: Response) => void;
}

/** An authenticated request for a page or of a form. */
export interface PageContext<User> {
  readonly deps: PageDeps;
  readonly user: User;
  readonly request: Request;
  /** The path parameter `id`. */
  readonly id: string;
  readonly session: Session;
  /** CSRF token of the page's forms. */
  readonly formToken: string;
  /** Shows times in the user's time zone. */
  readonly times: LocalTimes;
  /** Whether that is the browser's time zone, because the user chose none. */
  readonly isBrowserZone: boolean;
  /** Position before the page's data was read, from which its event stream starts. */
  readonly livePosition: string;
}

/** The content of a page, without the layout. */
export interface Page {
  /** 422 when a form is shown again with its errors (D-83). @default 200 */
  status?: number;
  /** Title of the document, which screen readers read first. */
  title: string;
  main: Markup;
}

/** The redirect (303) after a successful form, with a notice for the next page. */
export interface Redirect {
  to: string;
  notice?: string;
}

export type PageResult = Page | Redirect;

/** GET: shows a page to a signed-in user. */
export type ShowPage<User> = (context: PageContext<User>) => Promise<PageResult> | PageResult;

/** POST: performs the action of a form, then redirects, or shows the form again. */
export type SubmitForm<User> = (context: PageContext<User>, form: URLSearchParams) => Promise<PageResult> | PageResult;

/** The portal or the app: its sessions, sign-in and layout. A session of one section is not valid in another. */
export interface PageSection<User> {
  readonly role: Role;
  /** Name of the session cookie. */
  readonly cookie: string;
  /** The page after sign-in. */
  readonly home: string;
  readonly signInPath: string;
  readonly signOutPath: string;
  readonly signIn: SignInTexts;
  readUser(store: Store, session: Session, now: () => Date): Promise<User>;
  /** The time zone of the user's pages (D-115); null until it is chosen. */
  timeZoneOf(user: User): string | null;
  /** Stores the browser's time zone for a user without one. @default keeps it in the session, only for this user */
  guessTimeZone?(store: Store, ownerId: string, timeZone: string): Promise<void>;
  /** Asks the user something on every page until it is answered. @default nothing */
  question?(context: PageContext<User>): Markup | undefined;
  /** A problem and its remedy, live on every page. @default nothing */
  strip?(context: PageContext<User>): Promise<Markup>;
  /** The number of new items, for the title and the first link of the navigation. @default 0 */
  countNew?(context: PageContext<User>): number;
  /** Path of the web app manifest. @default none */
  readonly manifest?: string;
  /** Links of the navigation, each with the prefix of the paths below it. */
  readonly places: readonly (readonly [path: string, name: string, below: string])[];
  /** @default none */
  readonly bodyClass?: string;
  /** URL of the event stream that updates the page. */
  streamAddress(context: PageContext<User>): string;
  /** The time zone of the page's times and whose it is, with a link to change it. */
  zoneLine(context: PageContext<User>): Markup;
  /** The names of the user, next to the button to sign out. */
  userName(user: User): Markup;
  /** The body of a document. */
  body(parts: BodyParts): Markup;
}

export interface SignInTexts {
  title: string;
  lead: Markup;
  /** Label of the name field. */
  label: string;
  type: "email" | "text";
}

export interface BodyParts {
  /** Items of the navigation; undefined without a session. */
  navigation: Markup | undefined;
  /** The user and the button to sign out; undefined without a session. */
  signedIn: Markup | undefined;
  /** Shown before the content. */
  strip: Markup | undefined;
  question: Markup | undefined;
  /** From `zoneLine`; undefined without a session. */
  zoneLine: Markup | undefined;
  main: Markup;
}
