import type { Router } from "express";
import { sql } from "kysely";
import { ProblemError } from "../http/problem.ts";
import { defineRoutes } from "../http/routes.ts";
import { checkParameters } from "../http/validation.ts";
import { withTimeout } from "../outbox/timers.ts";
import type { Store } from "../store/store.ts";

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

const pingLimitMs = 2_000;

/** Whether the database responds within two seconds. */
export function pingDatabase({ db }: Pick<Store, "db">): Promise<boolean> {
  return withTimeout(sql`select 1`.execute(db), pingLimitMs).then(
    () => true,
    () => false,
  );
}
