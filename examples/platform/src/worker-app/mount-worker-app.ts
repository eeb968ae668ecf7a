import type { Router } from "express";
import { resource } from "../http/define-routes.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { addContactRoute } from "./contacts-route.ts";
import { addDeviceRoute, listDevicesRoute, removeDeviceRoute } from "./devices-route.ts";
import { notificationStreamRoute } from "./notification-stream-route.ts";
import { listNotificationsRoute } from "./notifications-route.ts";
import { actRoute, viewOfferRoute } from "./offer-routes.ts";
import { worker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** What a worker does on a phone: notifications menu, offer view, the answer, contacts. */
export function mountWorkerApp(router: Router, deps: WorkerAppDeps): void {
  resource(router, worker.sessionPath, sessionMethods(deps, worker));
  resource(router, "/worker-app/devices", { get: listDevicesRoute(deps), post: addDeviceRoute(deps) });
  resource(router, "/worker-app/devices/:id", { delete: removeDeviceRoute(deps) });
  resource(router, "/worker-app/contacts", { post: addContactRoute(deps) });
  resource(router, "/worker-app/notifications", { get: listNotificationsRoute(deps) });
  resource(router, "/worker-app/notifications/stream", { get: notificationStreamRoute(deps), head: false });
  resource(router, "/worker-app/offers/:id", { get: viewOfferRoute(deps) });
  for (const action of ["open", "apply", "reject", "close"] as const)
    resource(router, `/worker-app/offers/:id/${action}`, { post: actRoute(deps, action) });
}
