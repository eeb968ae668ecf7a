import { acknowledge } from "./acknowledge.ts";
import { checkArgument } from "./check-argument.ts";
import type { Operation } from "./operation.ts";

const remedy = 'an array of ids: completeOffer(id, ["worker_amal"])';

export const completeOffer: Operation<readonly string[], void> = {
  name: "CompleteOffer",
  method: "POST",
  path: "/offer/{id}/complete",
  encode(workerIds) {
    checkArgument("workerIds", workerIds, "an array", remedy);
    const wrong = workerIds.findIndex((workerId) => typeof workerId !== "string");
    if (wrong >= 0) checkArgument(`workerIds[${wrong}]`, workerIds[wrong], "a string", remedy);
    return workerIds;
  },
  decode: acknowledge,
};
