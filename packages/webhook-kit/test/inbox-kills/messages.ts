/** The library whose transaction the receiver uses. */
export type Handle = "pg" | "drizzle" | "prisma" | "pglite" | "node:sqlite" | "better-sqlite3" | "mysql2";

/** How a receiver in a separate process records events. */
export interface KilledReceiverSetup {
  readonly secret: string;
  /** `once` inserts the row and the record in one transaction. `memory` inserts only the row, behind `memoryDeduplication`. */
  readonly mode: "once" | "memory";
  readonly handle: Handle;
  /** A URL, an SQLite file, or a PGlite data folder. */
  readonly location: string;
}

/** The stages at which a receiver waits for the parent: after it inserts the row, after it commits, and before it responds. */
export const stages = ["row", "commit", "response"] as const;
export type Stage = (typeof stages)[number];

export type StageMessage =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "reached"; readonly stage: Stage; readonly event: string };

/** Lets the receiver continue after a stage of an event. The parent either sends this message or kills the process. */
export interface ResumeMessage {
  /** The stage and the event, separated by a space. */
  readonly resume: string;
}
