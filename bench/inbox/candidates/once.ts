import { postgresInbox } from "@offers/webhook-kit/postgres";
import { insert, receiverOf } from "../receiver.ts";

export const candidate = receiverOf("**inbox.once** with the same insert", (pool) => {
  const inbox = postgresInbox(pool);
  return ({ offerId, workerId, response }, context) =>
    inbox.once(context, (tx) => tx.query(insert, [offerId, workerId, response]));
});
