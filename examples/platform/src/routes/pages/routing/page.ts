import type { Request, Response } from "express";
import type { Role, Session } from "../../../accounts/sessions.ts";
import type { Store } from "../../../store/store.ts";
import type { PortalDeps } from "../../portal/person.ts";
import type { WorkerAppDeps } from "../../worker-app/worker.ts";
import type { Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { LiveTopics } from "../live/live-topics.ts";
import type { ReadForm } from "./read-form.ts";

export interface PageDeps extends PortalDeps, WorkerAppDeps {
  readForm: ReadForm;
  live: LiveTopics;
  /** The public origin behind a proxy, such as `https://offers.example`; undefined to use the Host header. */
  publicOrigin: string | undefined;
  /** Call it after a commit that started a redelivery. */
  wakeRedeliveries: () => void;
  /** Called with errors that become a page with status 500. */
  onFailedPage: (error: unknown, response: Response) => void;
}

/** An authenticated request for a page or from a form. */
export interface PageContext<User> {
  readonly deps: PageDeps;
  readonly user: User;
  readonly request: Request;
  /** The path parameter `id`. */
  readonly id: string;
  readonly session: Session;
  /** The CSRF token for the page's forms. */
  readonly formToken: string;
  /** Formats times in the user's time zone. */
  readonly times: LocalTimes;
  /** Whether `times` uses the browser's time zone, because the user has not chosen one. */
  readonly isBrowserZone: boolean;
  /** The position before the page's data was read, from which its event stream starts. */
  readonly livePosition: string;
}

/** A page's content, without the layout. */
export interface Page {
  /** 422 when a form is shown again with its errors (D-83). @default 200 */
  status?: number;
  /** The document's title, which screen readers read first. */
  title: string;
  main: Markup;
}

/** A redirect (303) after a successful form, with a notice for the next page. */
export interface Redirect {
  to: string;
  notice?: string;
}

export type PageResult = Page | Redirect;

/** Handles a GET: shows a page to a signed-in user. */
export type ShowPage<User> = (context: PageContext<User>) => Promise<PageResult> | PageResult;

/** Handles a POST: performs the form's action, then redirects or shows the form again. */
export type SubmitForm<User> = (context: PageContext<User>, form: URLSearchParams) => Promise<PageResult> | PageResult;

/** The portal or the app, with its sessions, sign-in and layout. A session in one section is not valid in the other. */
export interface PageSection<User> {
  readonly role: Role;
  /** The name of the session cookie. */
  readonly cookie: string;
  /** The path of the page after sign-in. */
  readonly home: string;
  readonly signInPath: string;
  readonly signOutPath: string;
  readonly accountPath: string;
  readonly signIn: SignInWording;
  readUser(store: Store, session: Session, now: () => Date): Promise<User>;
  /** Returns the time zone for the user's pages (D-115); null until one is chosen. */
  getTimeZone(user: User): string | null;
  /** Stores the browser's time zone for a user who has not chosen one. @default stores it in the session */
  storeBrowserTimeZone?(store: Store, ownerId: string, timeZone: string): Promise<void>;
  /** Renders a question for every page until the user answers it. @default none */
  question?(context: PageContext<User>): Markup | undefined;
  /** Renders a problem and its remedy for every page, updated live. @default none */
  strip?(context: PageContext<User>): Promise<Markup>;
  /** Returns the number of new items, for the title and the first navigation link. @default 0 */
  countNew?(context: PageContext<User>): number;
  /** The path of the web app manifest. @default none */
  readonly manifest?: string;
  /** The navigation links, each with the path prefix of the pages that belong to it. */
  readonly links: readonly (readonly [path: string, name: string, pathPrefix: string])[];
  /** A CSS class for the body. @default none */
  readonly bodyClass?: string;
  /** Returns the URL of the event stream that updates the page. */
  streamUrl(context: PageContext<User>): string;
  /** Renders the page's time zone and the users it applies to, with a link to change it. */
  zoneLine(context: PageContext<User>): Markup;
  /** Renders the user's name, which is shown next to the sign-out button and links to the account page. */
  userName(user: User): Markup;
  /** Renders a document's body. */
  body(parts: BodyParts): Markup;
}

export interface SignInWording {
  title: string;
  lead: Markup;
  /** The label of the name field. */
  label: string;
  type: "email" | "text";
}

export interface BodyParts {
  /** The navigation links; undefined without a session. */
  navigation: Markup | undefined;
  /** The user's name and the sign-out button; undefined without a session. */
  signedIn: Markup | undefined;
  /** The result of the section's `strip`, which is shown before the content. */
  strip: Markup | undefined;
  question: Markup | undefined;
  /** The result of the section's `zoneLine`; undefined without a session. */
  zoneLine: Markup | undefined;
  main: Markup;
}
