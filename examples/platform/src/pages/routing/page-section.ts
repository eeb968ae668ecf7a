import type { Role } from "../../session/role.ts";
import type { Store } from "../../store/store.ts";
import type { Markup } from "../layout/markup.ts";
import type { Visit } from "./page-context.ts";
import type { Page } from "./page-result.ts";

/** Those for whom some pages are, and what these have in common. A session of one audience opens no page of another. */
export interface Audience<Who> {
  readonly role: Role;
  /** The name of its cookie. */
  readonly cookie: string;
  /** Where signing in leads. */
  readonly home: string;
  readonly signInPath: string;
  readSignedIn(store: Store, ownerId: string): Promise<Who>;
  /** The whole document around a page. */
  frame(page: Page, view: FrameView<Who>): Markup;
}

export interface FrameView<Who> {
  /** Undefined when nobody is signed in. */
  visit: Visit<Who> | undefined;
  /** What the form before this page had to say. */
  notice: string | undefined;
}
