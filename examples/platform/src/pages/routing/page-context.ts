import type { Request } from "express";

/** An authenticated request for a page or of a form. */
export interface PageContext<User> {
  readonly user: User;
  readonly request: Request;
  /** CSRF token of the page's forms. */
  readonly formToken: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** Position before the page's data was read, from which its event stream starts. */
  readonly livePosition: string;
}
