import { dateTime } from "../generated/received-values.ts";

/** A date-time with its zone (D-96), in a year that PostgreSQL and JavaScript both represent. */
export const instantField = dateTime
  .transform((text) => new Date(text))
  .refine((instant) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999, {
    error: "Write a date-time of the years 0001 to 9999 in UTC.",
  });
