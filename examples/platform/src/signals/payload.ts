import { z } from "zod";
import { type Heard, type Signal, signalSchema } from "./signal.ts";

/** PostgreSQL refuses one of 8,000 bytes and more. https://www.postgresql.org/docs/current/sql-notify.html */
const maxBytes = 7_999;

const schema = z.object({ by: z.string(), signals: z.union([z.array(signalSchema), z.literal("everything")]) });

/** What one process sends to the others in one NOTIFY; everything, when it is more than fits. */
export function payloadOf(by: string, signals: readonly Signal[] | "everything"): string {
  const text = JSON.stringify({ by, signals });
  return Buffer.byteLength(text) <= maxBytes ? text : JSON.stringify({ by, signals: "everything" });
}

/** @returns what another process sent: everything, when the format is unknown; nothing, when it is this process's own echo */
export function heardIn(payload: string, own: string): readonly Heard[] {
  const { by, signals } = read(payload);
  if (by === own) return [];
  return signals === "everything" ? ["everything"] : signals;
}

function read(payload: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(payload));
  } catch {
    return { by: "", signals: "everything" };
  }
}
