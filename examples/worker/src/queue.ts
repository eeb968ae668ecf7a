import type { Pool } from "pg";

/** A message that this process may work on until its lease expires. */
export interface Message {
  readonly id: string;
  readonly body: string;
  /** 1 for the first delivery; more after a lease that expired. */
  readonly deliveries: number;
}

/** A queue as SQS is one, in PostgreSQL: at least once, in no particular order. Yours is pg-boss, BullMQ or SQS. */
export const queueOf = (pool: Pool) => ({
  async send(body: string): Promise<void> {
    await pool.query("INSERT INTO queue (body) VALUES ($1)", [body]);
  },

  /** @param leaseMs after this time another worker gets the message, because this one has crashed */
  async receive(leaseMs: number): Promise<Message | undefined> {
    const { rows } = await pool.query<Message>(
      `UPDATE queue SET due = now() + $1 * interval '1 millisecond', deliveries = deliveries + 1
       WHERE id = (SELECT id FROM queue WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, body, deliveries`,
      [leaseMs],
    );
    return rows[0];
  },

  async remove({ id }: Message): Promise<void> {
    await pool.query("DELETE FROM queue WHERE id = $1", [id]);
  },
});
