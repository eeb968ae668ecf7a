import { z } from "zod";
import { parseBody } from "../../../http/validation.ts";
import { timeZoneField } from "../../../time-zones/time-zone.ts";
import { formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import { timeZoneSelect } from "../layout/time-zone-select.ts";
import type { AppForm, AppPage } from "../sections/app-section.ts";

const timeZoneSchema = z.strictObject({ timeZone: timeZoneField });

/** `GET /app/time-zone`: shows the form for the time zone of the worker's pages and pushes (D-115). */
export const timeZonePage: AppPage = (context) => {
  const main = html`
    <header class="page-head"><h1>Time zone</h1></header>
    <p class="lead">Times are shown in this time zone.</p>
    <form method="post" action="/app/time-zone" class="panel">
      ${formTokenField(context)}
      ${timeZoneSelect(context.times.timeZone)}
      <button>Save</button>
    </form>`;
  return { title: "Time zone", main };
};

/** `POST /app/time-zone` */
export const handleSetTimeZone: AppForm = async ({ deps, user }, form) => {
  const { timeZone } = parseBody(timeZoneSchema, { timeZone: form.get("timeZone") });
  await deps.store.db.updateTable("workers").set({ time_zone: timeZone }).where("id", "=", user.id).execute();
  return { to: "/app", notice: `Times are now shown in ${timeZone}.` };
};
