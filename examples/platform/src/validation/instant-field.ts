import { dateTime } from "../generated/received-values.ts";

/** A date-time with its zone (D-96), in a year that both stores know: there is none before the first. */
export const instantField = dateTime
  .transform((text) => new Date(text))
  .refine((instant) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999, {
    error: "Write a date-time of the years 0001 to 9999 in UTC.",
  });
