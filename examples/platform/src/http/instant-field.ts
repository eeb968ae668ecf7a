import { z } from "zod";

/** An instant as ISO 8601 has it, with its zone. */
export const instantField = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
