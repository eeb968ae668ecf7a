import type { Request } from "express";

/** Somebody signed in who asks for a page or sends a form. */
export interface Visit<Who> {
  readonly who: Who;
  readonly request: Request;
  /** What each of the page's forms carries; see `formToken`. */
  readonly formToken: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** Before anything of the page was read: what its event stream starts from. */
  readonly livePosition: string;
}
