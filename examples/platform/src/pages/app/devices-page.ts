import { html } from "hono/html";
import { pathParameter } from "../../http/path-parameter.ts";
import { listDevices, removeDevice } from "../../worker-app/devices.ts";
import { formTokenField } from "../layout/form-token.ts";
import { time } from "../layout/time.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import type { AppContext } from "./app-section.ts";

const names = { ios: "iPhone or iPad", android: "Android device" } as const;

/** `GET /app/devices`: devices that receive the worker's notifications. */
export const devicesPage =
  ({ store }: PageDeps) =>
  async (context: AppContext): Promise<PageResult> => {
    const devices = await listDevices(store, context.user.id);
    const main = html`
      <header class="page-head"><h1>Devices</h1></header>
      <p class="lead">Notifications are pushed to these devices. Remove those that you no longer use.</p>
      ${devices.length === 0 && html`<p class="empty">No phone is registered. Notifications appear under Notifications.</p>`}
      <ul class="menu">${devices.map(
        ({ id, platform, hasToken, registeredAt }) => html`
        <li>
          <form method="post" action="/app/devices/${encodeURIComponent(id)}/remove" class="row">
            ${formTokenField(context)}
            <span><strong>${names[platform]}</strong><br><span class="fine">registered ${time(registeredAt)}${!hasToken && ", without push messages"}</span></span>
            <button class="quiet small" aria-label="Remove the ${names[platform]} registered ${registeredAt}">Remove</button>
          </form>
        </li>`,
      )}</ul>`;
    return { title: "Devices", main };
  };

/** `POST /app/devices/{id}/remove` */
export const removeDeviceForm =
  ({ store }: PageDeps) =>
  async ({ user, request }: AppContext): Promise<PageResult> => {
    await removeDevice(store, user.id, pathParameter(request, "id"));
    return { to: "/app/devices", notice: "The device is removed. It gets no more notifications." };
  };
