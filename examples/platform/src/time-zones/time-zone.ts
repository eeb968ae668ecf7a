import { z } from "zod";

/** Shown while no time zone is known. */
export const defaultTimeZone = "UTC";

/** The names that people choose from. */
export const timeZones: readonly string[] = [defaultTimeZone, ...Intl.supportedValuesOf("timeZone")];

/** Whether it is the name of a zone of the IANA time zone database; browsers also name zones by their older names. */
export function isTimeZone(text: string): boolean {
  // `Intl` also accepts offsets, which know no clock changes.
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

export const timeZoneField = z.string().refine(isTimeZone, "Choose a time zone from the list.");
