import { addFieldError } from "../http/field-errors.ts";
import { type FieldErrors, ProblemError } from "../http/problem-error.ts";
import type { Refusal } from "./transition.ts";

/** The problem details of a rejected action. */
export function refusalProblem(refusal: Refusal | { code: "offer_not_found" }, absent = offerNotFound): ProblemError {
  switch (refusal.code) {
    case "offer_not_found":
    case "not_addressed":
      return absent();
    case "offer_completed":
      return new ProblemError("offer_completed", "It accepts no more responses, and it can be completed only once.");
    case "offer_withdrawn":
      return new ProblemError("offer_withdrawn", "It accepts no more responses, and it cannot be completed.");
    case "worker_not_applied": {
      const errors: FieldErrors = new Map();
      for (const index of refusal.indexes)
        addFieldError(errors, `[${index}]`, "Name a worker who has applied; read the offer to see who has.");
      return new ProblemError("worker_not_applied", "Name only workers who have applied; see errors.", { errors });
    }
  }
}

/** For an unknown offer and for another organisation's offer alike (D-20). */
export const offerNotFound = (): ProblemError =>
  new ProblemError("offer_not_found", "You have no offer with this id; was it created with this key?");

/** The same for a worker (D-36). */
export const offerNotAddressed = (): ProblemError =>
  new ProblemError("offer_not_found", "You have no offer with this id; was it sent to you?");
