import { acknowledge } from "./acknowledge.ts";
import type { Operation } from "./operation.ts";

/** A GET that changes state; withdrawing again is answered alike, so it may be repeated (D-10). */
export const withdrawOffer: Operation<undefined, void> = {
  name: "WithdrawOffer",
  method: "GET",
  path: "/offer/{id}/withdraw",
  decode: acknowledge,
};
