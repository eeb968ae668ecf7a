import { z } from "zod";
import { timeZoneField } from "../../../time-zones/time-zone.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export const timeZoneSchema = z.strictObject({ timeZone: timeZoneField });

/** Sets the time zone for the organisation's pages and emails (D-115). */
export async function setOrganisationTimeZone(
  { store }: Pick<PortalDeps, "store">,
  { organisationId }: SignedInPerson,
  timeZone: string,
): Promise<void> {
  await store.db.updateTable("organisations").set({ time_zone: timeZone }).where("id", "=", organisationId).execute();
}
