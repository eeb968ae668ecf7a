import { z } from "zod";

export const topics = ["offer", "delivery", "endpoint", "mail", "notification"] as const;

export type Topic = (typeof topics)[number];

/** That something changed, not how: a listener reads the store. */
export interface Signal {
  topic: Topic;
  /** Whose it is. Absent when it is no organisation's: a notification, or mail to a stranger. */
  organisationId?: string | undefined;
  /** Of notifications: who got them. Absent when there are too many to name, or they are unknown: every listener looks. */
  workerIds?: readonly string[] | undefined;
}

/** What listeners hear. Everything: anything may have changed, such as while a connection was lost. */
export type Heard = Signal | "everything";

export const signalSchema = z.object({
  topic: z.enum(topics),
  organisationId: z.string().optional(),
  workerIds: z.array(z.string()).optional(),
});
