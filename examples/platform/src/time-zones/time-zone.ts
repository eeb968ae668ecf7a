import { Temporal } from "temporal-polyfill";
import { z } from "zod";

/** The time zone to use while the user's time zone is unknown. */
export const defaultTimeZone = "UTC";

/**
 * Maps names that `Intl` and browsers still use to the current names in the IANA time zone database. Its file `backward`
 * links the old names to the new ones, so both are valid.
 *
 * @see https://data.iana.org/time-zones/tzdb/backward
 */
const currentNames: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** Returns the current name of a time zone. */
export const currentTimeZone = (name: string): string => currentNames[name] ?? name;

/** The names that users can choose from, sorted. */
export const timeZones: readonly string[] = [
  ...new Set([defaultTimeZone, ...Intl.supportedValuesOf("timeZone").map(currentTimeZone).toSorted()]),
];

/** Returns whether a string is a name in the IANA time zone database, or an old name that browsers still use. */
export function isTimeZone(text: string): boolean {
  // Reject offsets, although `Intl` accepts them, because they ignore clock changes.
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    // Temporal also rejects abbreviations such as PST, which `Intl` accepts, but which are not in the IANA database.
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return true;
  } catch {
    return false;
  }
}

/** A time zone that a user has chosen, converted to its current name. */
export const timeZoneField = z
  .string()
  .refine(isTimeZone, "Choose a time zone from the list.")
  .transform(currentTimeZone);
