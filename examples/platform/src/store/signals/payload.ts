import { z } from "zod";
import { type Heard, type Signal, signalSchema } from "./signal.ts";

/** PostgreSQL refuses one of 8,000 bytes and more. https://www.postgresql.org/docs/current/sql-notify.html */
const maxBytes = 7_999;
/** More workers are not named: every listener looks. */
const maxNamedWorkers = 100;

const everything = JSON.stringify("everything" satisfies Heard);

const schema = z.object({ by: z.string(), heard: z.array(z.union([signalSchema, z.literal("everything")])) });

/** A signal as a payload holds it: equal signals are equal texts. */
export const signalText = (signal: Signal): string => {
  const { topic, organisationId, workerIds = [] } = signal;
  return JSON.stringify({
    topic,
    organisationId,
    ...(workerIds.length <= maxNamedWorkers && { workerIds: signal.workerIds }),
  });
};

/**
 * What one process sends to the others in one NOTIFY; everything, when it is more than fits.
 *
 * @param texts from `signalText`
 */
export function payloadOf(by: string, texts: Iterable<string>): string {
  const payload = (heard: string): string => `{"by":${JSON.stringify(by)},"heard":[${heard}]}`;
  const whole = payload([...texts].join());
  return Buffer.byteLength(whole) <= maxBytes ? whole : payload(everything);
}

/** @returns what another process sent: everything, when the format is unknown; nothing, when it is this process's own echo */
export function heardIn(payload: string, own: string): readonly Heard[] {
  try {
    const { by, heard } = schema.parse(JSON.parse(payload));
    return by === own ? [] : heard;
  } catch {
    return ["everything"];
  }
}
