import type { Request } from "express";
import type { PageDeps } from "./page-deps.ts";

/** Where a program of the person who looks reaches the API: where their browser reached this page. */
export const publicAddress = ({ publicOrigin }: Pick<PageDeps, "publicOrigin">, request: Request): string =>
  publicOrigin ?? `http://${request.get("host")}`;
