import { expect, test } from "vitest";
import { fc } from "../../../../tools/property-seed.ts";
import { type OfferState, transition } from "../../src/offers/transition.ts";
import { type Model, type OffersUnderTest, offerCommands, workerIds } from "./offer-commands.ts";
import type { OfferPicture } from "./offer-history.ts";

/** The module that has the states, and a list of what it said is to be told. */
function pureOffers(): OffersUnderTest {
  const offers: { state: OfferState; events: OfferPicture["events"]; told: OfferPicture["told"] }[] = [];
  return {
    async create(ids) {
      const addressed = [...new Set(ids)];
      const recipients = addressed.map((workerId) => ({ workerId, response: "none", confirmation: "" }) as const);
      offers.push({
        state: { complete: false, widthdrawn: false, recipients },
        events: [],
        told: Object.fromEntries(workerIds.map((id) => [id, addressed.includes(id) ? ["offer"] : []])),
      });
    },
    async act(number, deed) {
      const offer = offers[number];
      // Whose offer it is, the store knows.
      if (offer === undefined || ("organisation" in deed && deed.organisation === "theirs")) return "offer_not_found";
      const outcome = transition(offer.state, deed);
      if (!outcome.allowed) return outcome.refusal.code === "not_addressed" ? "offer_not_found" : outcome.refusal.code;
      offer.state = outcome.state;
      for (const effect of outcome.effects)
        if (effect.type === "notify") for (const id of effect.workerIds) offer.told[id]?.push(effect.reason);
        else offer.events.push({ organisation: "ours", workerId: effect.workerId, response: effect.response });
      return "done";
    },
    async pictures() {
      const pictures = offers.map(({ state, events, told }) => ({ ...state, events, told }));
      return structuredClone(pictures) as OfferPicture[];
    },
  };
}

test("any sequence of anything, by anybody, keeps an offer true to its history", async () => {
  const verdicts = new Set<string>();
  const onVerdict: Model["onVerdict"] = (deed, verdict) => void verdicts.add(`${deed}: ${verdict}`);
  const property = fc.asyncProperty(offerCommands(40), (commands) =>
    fc.asyncModelRun(() => ({ model: { histories: [], seen: [], onVerdict }, real: pureOffers() }), commands),
  );
  await fc.assert(property, { numRuns: 1_000 });
  // It went everywhere.
  for (const deed of ["open", "close", "apply", "reject", "complete", "withdraw"])
    expect([...verdicts]).toEqual(expect.arrayContaining([`${deed}: done`, `${deed}: offer_not_found`]));
  for (const deed of ["apply", "reject", "complete"])
    expect([...verdicts]).toEqual(expect.arrayContaining([`${deed}: offer_completed`, `${deed}: offer_withdrawn`]));
  expect([...verdicts]).toContain("complete: worker_not_applied");
});
