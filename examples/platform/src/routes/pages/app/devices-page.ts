import { listDevices, removeDevice } from "../../worker-app/devices.ts";
import { formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import type { AppForm, AppPage } from "../sections/app-section.ts";

const platformNames = { ios: "iPhone or iPad", android: "Android device" } as const;

/** `GET /app/devices`: lists the devices that receive the worker's notifications. */
export const devicesPage: AppPage = async (context) => {
  const devices = await listDevices(context.deps.store, context.user.id);
  const main = html`
    <header class="page-head"><h1>Devices</h1></header>
    <p class="lead">Notifications are pushed to these devices. Remove the devices that you no longer use.</p>
    ${devices.length === 0 && html`<p class="empty">No device is registered. Your notifications appear on the Notifications page.</p>`}
    <ul class="menu">${devices.map(
      ({ id, platform, hasToken, registeredAt }) => html`
      <li>
        <form method="post" action="/app/devices/${encodeURIComponent(id)}/remove" class="row">
          ${formTokenField(context)}
          <span><strong>${platformNames[platform]}</strong><br><span class="fine">registered ${context.times.time(registeredAt)}${!hasToken && ", without push notifications"}</span></span>
          <button class="quiet small" aria-label="Remove the ${platformNames[platform]} registered ${registeredAt.toISOString()}">Remove</button>
        </form>
      </li>`,
    )}</ul>`;
  return { title: "Devices", main };
};

/** `POST /app/devices/{id}/remove` */
export const handleRemoveDevice: AppForm = async ({ deps, user, id }) => {
  await removeDevice(deps.store, user.id, id);
  return { to: "/app/devices", notice: "The device was removed. It no longer receives notifications." };
};
