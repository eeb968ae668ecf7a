import { timeZones } from "../../../time-zones/time-zone.ts";
import { html, type Markup } from "./markup.ts";

/** Renders a labelled select of time zones. */
export function timeZoneSelect(current: string): Markup {
  // Add the current zone, for example Etc/GMT+5, if it is not in the list.
  const names = timeZones.includes(current) ? timeZones : [current, ...timeZones];
  return html`
      <div class="field">
        <label for="timeZone">Time zone</label>
        <select id="timeZone" name="timeZone">
          ${names.map((name) => html`<option value="${name}"${name === current && html` selected`}>${name.replaceAll("_", " ")}</option>`)}
        </select>
      </div>`;
}
