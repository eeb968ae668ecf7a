import { z } from "zod";

/** An instant as ISO 8601 has it, with its zone, in a year that both stores know: there is none before the first. */
export const instantField = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((instant) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999, {
    error: "Write a date-time of the years 0001 to 9999 in UTC.",
  });
