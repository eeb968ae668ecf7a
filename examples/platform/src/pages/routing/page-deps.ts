import type { Response } from "express";
import type { PortalDeps } from "../../portal/person/portal-deps.ts";
import type { WorkerAppDeps } from "../../worker-app/worker-app-deps.ts";
import type { LiveTopics } from "../live/live-topics.ts";
import type { CookieSettings } from "../security/page-session.ts";
import type { ReadForm } from "./read-form.ts";

export interface PageDeps extends PortalDeps, WorkerAppDeps {
  readForm: ReadForm;
  cookies: CookieSettings;
  live: LiveTopics;
  /** `https://offers.example` when people reach us through a proxy; undefined: at the host that they ask. */
  publicOrigin: string | undefined;
  /** Told of what is answered with a page that says 500. */
  onFailedPage: (error: unknown, response: Response) => void;
}
