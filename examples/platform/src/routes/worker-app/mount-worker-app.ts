import type { Router } from "express";
import { authenticateUser, requireSession } from "../../accounts/sessions.ts";
import { createSignedInRoutes, mountSessions } from "../../accounts/signed-in-routes.ts";
import { createListSchema } from "../../http/list-cursor.ts";
import { defineRoutes } from "../../http/routes.ts";
import { addContact, contactSchema, readOrganisation } from "./contacts.ts";
import { addDevice, deviceSchema, listDevices, removeDevice } from "./devices.ts";
import { menuEntries } from "./menu.ts";
import { streamNotifications } from "./stream-notifications.ts";
import { type WorkerAppDeps, worker } from "./worker.ts";
import { actAsWorker, readOfferAsWorker } from "./worker-offer.ts";

/** Adds the worker app's JSON routes: notifications menu, offers and responses, contacts, devices. */
export function mountWorkerApp(router: Router, deps: WorkerAppDeps): void {
  const { store } = deps;
  const { route, list } = createSignedInRoutes(deps, worker, (_store, { ownerId }) => ({ id: ownerId }));
  mountSessions(router, deps, worker);

  defineRoutes(router, "/worker-app/devices", {
    // Returns all devices, because D-91 limits their number.
    get: route(async ({ user }) => ({ devices: await listDevices(store, user.id) })),
    // Registering a token again for the same worker and platform returns the same device.
    post: route(async ({ user, read, response }) => {
      const device = await read(deviceSchema);
      const { id, isNew } = await store.transaction((trx) => addDevice(trx, user.id, device));
      response.status(isNew ? 201 : 200);
      return { id, platform: device.platform };
    }),
  });
  defineRoutes(router, "/worker-app/devices/:id", {
    delete: route(({ user, id }) => removeDevice(store, user.id, id)),
  });

  defineRoutes(router, "/worker-app/contacts", {
    post: route(async ({ user, read }) => {
      const { organisationId } = await read(contactSchema);
      const { id } = await readOrganisation(deps, organisationId);
      await deps.store.transaction((trx) => addContact(trx, deps, user.id, id));
    }),
  });

  defineRoutes(router, "/worker-app/notifications", { get: list(menuEntries, createListSchema(menuEntries.cursor)) });
  defineRoutes(router, "/worker-app/notifications/stream", {
    // Sends server-sent events, which resume after `Last-Event-ID`.
    async get(request, response) {
      const session = await authenticateUser(deps, request, worker, { use: "stream" });
      const check = () => requireSession(deps, request, worker);
      await streamNotifications(deps, response, { session, lastId: request.get("last-event-id"), check });
    },
    head: false,
  });

  defineRoutes(router, "/worker-app/offers/:id", {
    get: route(({ user, id }) => readOfferAsWorker(deps, user.id, id)),
  });
  for (const action of ["open", "apply", "reject", "close"] as const)
    defineRoutes(router, `/worker-app/offers/:id/${action}`, {
      post: route(({ user, id }) => actAsWorker(deps, user.id, id, action)),
    });
}
