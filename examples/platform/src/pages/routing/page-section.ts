import type { Role } from "../../session/role.ts";
import type { Store } from "../../store/store.ts";
import type { Markup } from "../layout/markup.ts";
import type { PageContext } from "./page-context.ts";
import type { Page } from "./page-result.ts";

/** The portal or the app: its sessions, sign-in and layout. A session of one section is not valid in another. */
export interface PageSection<User> {
  readonly role: Role;
  /** Name of the session cookie. */
  readonly cookie: string;
  /** The page after sign-in. */
  readonly home: string;
  readonly signInPath: string;
  readSignedIn(store: Store, ownerId: string): Promise<User>;
  /** The document around a page. */
  frame(page: Page, view: PageView<User>): Markup;
}

export interface PageView<User> {
  /** Undefined without a session. */
  context: PageContext<User> | undefined;
  /** Confirmation of the form that led to this page. */
  notice: string | undefined;
}
