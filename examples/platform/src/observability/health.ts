import type { Router } from "express";
import { sql } from "kysely";
import { serviceUnavailable } from "../http/problem.ts";
import { defineRoutes } from "../http/routes.ts";
import { rejectUnknownParameters } from "../http/validation.ts";
import { withTimeout } from "../outbox/timers.ts";
import type { Store } from "../store/store.ts";

/** Adds `/healthz` for liveness and `/readyz` for readiness. */
export function mountHealth(router: Router, isReady: () => Promise<boolean>): void {
  defineRoutes(router, "/healthz", {
    get(request, response) {
      rejectUnknownParameters(request);
      response.json({ status: "alive" });
    },
  });
  defineRoutes(router, "/readyz", {
    async get(request, response) {
      rejectUnknownParameters(request);
      if (!(await isReady())) throw serviceUnavailable("Try again in a moment.");
      response.json({ status: "ready" });
    },
  });
}

const pingLimitMs = 2_000;

/** Resolves with whether the database responds within two seconds and accepts writes. */
export function pingDatabase({ db }: Pick<Store, "db">): Promise<boolean> {
  // A read-only server, such as a standby, rejects `for update`. The pool then discards the connection.
  return withTimeout(sql`select from organisations where false for update`.execute(db), pingLimitMs).then(
    () => true,
    () => false,
  );
}
