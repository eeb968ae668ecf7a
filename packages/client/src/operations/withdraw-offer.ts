import { acknowledge } from "./acknowledge.ts";
import type { Operation } from "./operation.ts";

/** A GET that changes state. Withdrawing twice has the same response, so it may be retried (D-10). */
export const withdrawOffer: Operation<undefined, void> = {
  name: "WithdrawOffer",
  method: "GET",
  path: "/offer/{id}/withdraw",
  decode: acknowledge,
};
