import type { RawBuilder } from "kysely";
import type { QueueName } from "../../store/tables.ts";

/** A table whose rows are their own queue. */
export interface OutboxQueue {
  name: QueueName;
  table: "deliveries" | "notifications" | "mails";
  /** The number that rows are leased under. */
  id: "sequence" | "id";
  /**
   * Rows of one lane share its capacity, and lanes take turns: no head-of-line blocking of the others by a slow one. Without a
   * column all rows are in one lane.
   */
  lane?: "organisation_id" | "offer_id";
  /** How many rows of a lane may be under way at a time, over all processes. */
  capacity: number;
  /** Per lane: a select of one row at most, that says whether it is open. Without it lanes always are. */
  laneState?: (lane: RawBuilder<unknown>) => RawBuilder<LaneState>;
  /** Over a row with the alias `head`: whether it waits for another row that is under way. */
  isBlocked?: RawBuilder<boolean>;
}

export interface LaneState {
  /** How many rows may be under way. */
  capacity: number;
  /** Of a lane that is closed for a while. */
  opensInMs: number | null;
}

/** The lane of a queue that has but one. */
export const onlyLane = "";

/** A row that this process works on. */
export interface Lease {
  /** Fencing token: what it has come to is stored only under the token that is still there. */
  token: number;
  rowId: number;
  lane: string;
}
