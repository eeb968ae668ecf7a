import express, { type Express, Router } from "express";
import type { Logger } from "pino";
import type { ApiDeps } from "./api/api-deps.ts";
import { mountApi } from "./api/mount-api.ts";
import { type AnsweredRequest, observeRequests } from "./http/observe-requests.ts";
import { resource } from "./http/resource.ts";
import { errorFields } from "./log/error-fields.ts";
import { mountPortal } from "./portal/mount-portal.ts";
import type { PortalDeps } from "./portal/portal-deps.ts";
import { answerProblem } from "./problem/answer-problem.ts";
import { ProblemError } from "./problem/problem-error.ts";
import { mountWorkerApp } from "./worker-app/mount-worker-app.ts";
import type { WorkerAppDeps } from "./worker-app/worker-app-deps.ts";

export interface AppDeps extends ApiDeps, PortalDeps, WorkerAppDeps {
  log: Logger;
  /** So many proxies stand before the platform: it takes their word for a caller's address. */
  trustedProxies: number;
  /** Told of each answer when it is over. */
  onAnswered: (request: AnsweredRequest) => void;
  /** Whether requests should be sent here: the store answers, and nobody has asked this process to stop. */
  isReady: () => Promise<boolean>;
}

/** Everything the platform answers over HTTP. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("trust proxy", deps.trustedProxies);
  app.use(
    observeRequests((request) => {
      deps.log.info(request, "http.answered");
      deps.onAnswered(request);
    }),
  );

  const router = Router({ caseSensitive: true, strict: true });
  mountApi(router, deps);
  mountPortal(router, deps);
  mountWorkerApp(router, deps);
  resource(router, "/healthz", { get: (_request, response) => void response.json({ status: "alive" }) });
  resource(router, "/readyz", {
    get: async (_request, response) => {
      if (!(await deps.isReady())) throw new ProblemError("not_ready", "Try again in a moment.");
      response.json({ status: "ready" });
    },
  });
  app.use(router);

  app.use(() => {
    throw new ProblemError("not_found", "Check the path; the README lists them all.");
  });
  app.use(
    answerProblem((error, response) =>
      deps.log.error({ requestId: response.get("X-Request-Id"), ...errorFields(error) }, "http.failed"),
    ),
  );
  return app;
}
