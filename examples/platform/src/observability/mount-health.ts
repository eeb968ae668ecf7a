import type { Router } from "express";
import { defineRoutes } from "../http/define-routes.ts";
import { checkParameters } from "../http/known-parameters.ts";
import { ProblemError } from "../http/problem-error.ts";

/** `/healthz` is liveness, `/readyz` readiness. */
export function mountHealth(router: Router, isReady: () => Promise<boolean>): void {
  defineRoutes(router, "/healthz", {
    get(request, response) {
      checkParameters(request);
      response.json({ status: "alive" });
    },
  });
  defineRoutes(router, "/readyz", {
    async get(request, response) {
      checkParameters(request);
      if (!(await isReady())) throw new ProblemError("service_unavailable", "Try again in a moment.");
      response.json({ status: "ready" });
    },
  });
}
