import { z } from "zod";

/** Shown while no time zone is known. */
export const defaultTimeZone = "UTC";

/**
 * Names that `Intl` and browsers still use, with the current name of the IANA time zone database. The file `backward` of the
 * database links the old ones, so both are valid.
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

/** The current name of a time zone. */
export const currentTimeZone = (name: string): string => currentNames[name] ?? name;

/** The names that people choose from, sorted. */
export const timeZones: readonly string[] = [
  ...new Set([defaultTimeZone, ...Intl.supportedValuesOf("timeZone").map(currentTimeZone).toSorted()]),
];

/** Whether a string is a name in the IANA time zone database, including older names that browsers still use. */
export function isTimeZone(text: string): boolean {
  // `Intl` also accepts offsets, which ignore clock changes.
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

export const timeZoneField = z
  .string()
  .refine(isTimeZone, "Choose a time zone from the list.")
  .transform(currentTimeZone);
