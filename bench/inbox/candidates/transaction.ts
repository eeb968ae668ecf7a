import { insert, receiverOf } from "../receiver.ts";

export const candidate = receiverOf(
  "the insert in a transaction: BEGIN, INSERT, COMMIT",
  (pool) =>
    async ({ offerId, workerId, response }) => {
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query(insert, [offerId, workerId, response]);
      await client.query("COMMIT");
      client.release();
    },
);
