import { expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { type OfferState, transition } from "../../src/offers/transition.ts";
import { type Model, type OffersUnderTest, offerCommands, workerIds } from "./offer-commands.ts";
import type { OfferSnapshot } from "./offer-history.ts";

/** Runs the steps of offers in the pure function `transition`, without a store, and collects the effects that it returns. */
function createPureOffers(): OffersUnderTest {
  const offers: {
    state: OfferState;
    events: OfferSnapshot["events"];
    notifications: OfferSnapshot["notifications"];
  }[] = [];
  return {
    async create(ids) {
      const recipientIds = [...new Set(ids)];
      const recipients = recipientIds.map((workerId) => ({ workerId, response: "none", confirmation: "" }) as const);
      offers.push({
        state: { complete: false, withdrawn: false, recipients },
        events: [],
        notifications: Object.fromEntries(workerIds.map((id) => [id, recipientIds.includes(id) ? ["offer"] : []])),
      });
    },
    async act(offerNumber, step) {
      const offer = offers[offerNumber];
      // The store checks ownership, which the pure module does not.
      if (offer === undefined || ("organisation" in step && step.organisation === "theirs")) return "offer_not_found";
      const outcome = transition(offer.state, step);
      if (!outcome.allowed) return outcome.refusal.code === "not_addressed" ? "offer_not_found" : outcome.refusal.code;
      offer.state = outcome.state;
      for (const effect of outcome.effects) {
        if (effect.type === "notify") {
          for (const id of effect.workerIds) offer.notifications[id]?.push(effect.reason);
        } else {
          offer.events.push({ organisation: "ours", workerId: effect.workerId, response: effect.response });
        }
      }
      return "done";
    },
    async readSnapshots() {
      const snapshots = offers.map(({ state, events, notifications }) => ({ ...state, events, notifications }));
      return structuredClone(snapshots) as OfferSnapshot[];
    },
  };
}

test("after any sequence of steps by any actor, an offer matches its history", async () => {
  const outcomes = new Set<string>();
  const onOutcome: Model["onOutcome"] = (step, outcome) => void outcomes.add(`${step}: ${outcome}`);
  const property = fc.asyncProperty(offerCommands(40), (commands) =>
    fc.asyncModelRun(
      () => ({ model: { histories: [], snapshots: [], onOutcome }, real: createPureOffers() }),
      commands,
    ),
  );
  await fc.assert(property, { numRuns: pickNumRuns(300, 1_000) });
  // Every outcome must have occurred.
  for (const step of ["open", "close", "apply", "reject", "complete", "withdraw"])
    expect([...outcomes]).toEqual(expect.arrayContaining([`${step}: done`, `${step}: offer_not_found`]));
  for (const step of ["apply", "reject", "complete"])
    expect([...outcomes]).toEqual(expect.arrayContaining([`${step}: offer_completed`, `${step}: offer_withdrawn`]));
  expect([...outcomes]).toContain("complete: worker_not_applied");
});
