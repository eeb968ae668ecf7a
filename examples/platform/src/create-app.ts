import express, { type Express, type Response, Router } from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { checkHost } from "./http/check-host.ts";
import { type CompletedRequest, observeRequests } from "./http/observe-requests.ts";
import { ProblemError, problemHandler } from "./http/problem.ts";
import { mountHealth } from "./observability/health.ts";
import { errorFields } from "./observability/log.ts";
import { mountExtensions } from "./routes/api/feed-operations.ts";
import { mountApi } from "./routes/api/offer-operations.ts";
import type { ApiDeps } from "./routes/api/operation.ts";
import { type ConsoleDeps, mountConsole } from "./routes/console/mount-console.ts";
import { mountPages } from "./routes/pages/mount-pages.ts";
import type { PageDeps } from "./routes/pages/routing/page.ts";
import { mountPortal } from "./routes/portal/mount-portal.ts";
import { mountWorkerApp } from "./routes/worker-app/mount-worker-app.ts";
import { traceRequests } from "./tracing/tracing.ts";

export interface AppDeps extends ApiDeps, Omit<PageDeps, "onFailedPage">, Pick<ConsoleDeps, "demoKey"> {
  log: Logger;
  /** Host names that requests may use in addition to loopback names; undefined to allow any. */
  allowedHosts: readonly string[] | undefined;
  /** The number of proxies whose `X-Forwarded-For` entries are trusted. */
  trustedProxies: number;
  /** Called with every request when it completes. */
  onRequest: (request: CompletedRequest) => void;
  /** Resolves with true if the database responds and this process is not shutting down. */
  isReady: () => Promise<boolean>;
}

/** Creates the Express app with all of the platform's routes. */
export function createApp(deps: AppDeps): Express {
  const { log } = deps;
  const onFailed = (error: unknown, response: Response): void =>
    log.error({ requestId: response.get("X-Request-Id"), ...errorFields(error) }, "http.failed");

  const router = Router({ caseSensitive: true, strict: true });
  mountApi(router, deps);
  mountExtensions(router, deps);
  mountPortal(router, deps);
  mountWorkerApp(router, deps);
  mountHealth(router, deps.isReady);
  mountConsole(router, deps);
  mountPages(router, { ...deps, onFailedPage: onFailed });

  const app = express();
  app.disable("x-powered-by").disable("etag").set("trust proxy", deps.trustedProxies);
  app.use(traceRequests);
  app.use(
    observeRequests((request) => {
      log.info(request, "http.response");
      deps.onRequest(request);
    }),
  );
  // For every response, including errors: no sniffing and, over https, HSTS (D-161). Pages set further headers.
  app.use(helmet.xContentTypeOptions());
  if (deps.cookies.isSecure) app.use(helmet.strictTransportSecurity());
  if (deps.allowedHosts !== undefined) app.use(checkHost(deps.allowedHosts));
  app.use(router);
  app.use(() => {
    throw new ProblemError("not_found", "Check the path.");
  });
  app.use(problemHandler(onFailed));
  return app;
}
