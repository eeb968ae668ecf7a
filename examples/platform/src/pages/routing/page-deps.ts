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
  /** `https://offers.example` behind a proxy; undefined to use the Host header. */
  publicOrigin: string | undefined;
  /** Receives errors that become a page with status 500. */
  onFailedPage: (error: unknown, response: Response) => void;
}
