import { parseBody } from "../../../http/validation.ts";
import { setOrganisationTimeZone, timeZoneSchema } from "../../portal/profile/time-zone.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import { timeZoneSelect } from "../layout/time-zone-select.ts";
import type { PortalContext, PortalForm } from "../sections/portal-section.ts";
import { ownPath } from "../security/own-path.ts";

/** Renders the form that sets the time zone of the organisation's pages and emails (D-115). */
export const timeZoneSection = (context: PortalContext): Markup => html`
    <form method="post" action="/company/time-zone" class="panel" id="time-zone">
      <h2>Time zone</h2>
      <p class="hint">Times in this portal and in emails are shown in this time zone, for everyone at ${context.user.organisationName}. The API uses UTC.</p>
      ${formTokenField(context)}
      ${timeZoneSelect(context.times.timeZone)}
      <button class="quiet">Save the time zone</button>
    </form>`;

/** `POST /company/time-zone` */
export const handleSetTimeZone: PortalForm = async ({ deps, user }, form) => {
  const { timeZone } = parseBody(timeZoneSchema, { timeZone: form.get("timeZone") });
  await setOrganisationTimeZone(deps, user, timeZone);
  const notice = `Times are now shown in ${timeZone}, for everyone at ${user.organisationName}.`;
  return { to: ownPath(form.get("next") ?? "") ?? "/company", notice };
};
