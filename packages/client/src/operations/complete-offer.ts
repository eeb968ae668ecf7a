import type { Operation } from "../operation.ts";
import { acknowledge } from "./acknowledge.ts";

export const completeOffer: Operation<readonly string[], void> = {
  name: "CompleteOffer",
  method: "POST",
  path: "/offer/{id}/complete",
  decode: acknowledge,
};
