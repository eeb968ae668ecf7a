import type { Router } from "express";
import { defineRoutes } from "../http/define-routes.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { addContactRoute } from "./contacts-route.ts";
import { addDeviceRoute, listDevicesRoute, removeDeviceRoute } from "./devices-route.ts";
import { notificationStreamRoute } from "./notification-stream-route.ts";
import { listNotificationsRoute } from "./notifications-route.ts";
import { actRoute, viewOfferRoute } from "./offer-routes.ts";
import { worker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** The worker app: notifications menu, offer view and response, contacts, devices. */
export function mountWorkerApp(router: Router, deps: WorkerAppDeps): void {
  defineRoutes(router, worker.sessionPath, sessionMethods(deps, worker));
  defineRoutes(router, "/worker-app/devices", { get: listDevicesRoute(deps), post: addDeviceRoute(deps) });
  defineRoutes(router, "/worker-app/devices/:id", { delete: removeDeviceRoute(deps) });
  defineRoutes(router, "/worker-app/contacts", { post: addContactRoute(deps) });
  defineRoutes(router, "/worker-app/notifications", { get: listNotificationsRoute(deps) });
  defineRoutes(router, "/worker-app/notifications/stream", { get: notificationStreamRoute(deps), head: false });
  defineRoutes(router, "/worker-app/offers/:id", { get: viewOfferRoute(deps) });
  for (const action of ["open", "apply", "reject", "close"] as const)
    defineRoutes(router, `/worker-app/offers/:id/${action}`, { post: actRoute(deps, action) });
}
