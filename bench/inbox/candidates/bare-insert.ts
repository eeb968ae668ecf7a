import { insert, receiverOf } from "../receiver.ts";

export const candidate = receiverOf(
  "the handler's bare insert",
  (pool) =>
    ({ offerId, workerId, response }) =>
      pool.query(insert, [offerId, workerId, response]),
);
