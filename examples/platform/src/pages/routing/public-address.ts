import type { Request } from "express";
import type { PageDeps } from "./page-deps.ts";

/** The base URL of the API for code samples: the origin at which the user's browser reached this page. */
export const publicAddress = ({ publicOrigin }: Pick<PageDeps, "publicOrigin">, request: Request): string =>
  publicOrigin ?? `http://${request.get("host")}`;
