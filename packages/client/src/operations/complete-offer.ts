import { refusal } from "../errors/refusal.ts";
import type { Operation } from "../operation.ts";
import { kindOf } from "../pipeline/kind-of.ts";
import { acknowledge } from "./acknowledge.ts";

const remedy = 'give an array of ids: completeOffer(id, ["worker_amal"])';

export const completeOffer: Operation<readonly string[], void> = {
  name: "CompleteOffer",
  method: "POST",
  path: "/offer/{id}/complete",
  encode(workerIds) {
    if (!Array.isArray(workerIds))
      throw refusal("invalid_argument", `workerIds is ${kindOf(workerIds)}, not an array; ${remedy}`);
    const wrong = workerIds.findIndex((workerId) => typeof workerId !== "string");
    if (wrong >= 0)
      throw refusal("invalid_argument", `workerIds[${wrong}] is ${kindOf(workerIds[wrong])}, not a string; ${remedy}`);
    return workerIds;
  },
  decode: acknowledge,
};
