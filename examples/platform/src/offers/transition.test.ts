import { describe, expect, test } from "vitest";
import { type Action, type OfferState, transition, transitionTable } from "./transition.ts";

const open: OfferState = {
  complete: false,
  withdrawn: false,
  recipients: [
    { workerId: "amal", response: "applied", confirmation: "" },
    { workerId: "ben", response: "rejected", confirmation: "" },
    { workerId: "cleo", response: "none", confirmation: "" },
  ],
};
const completed: OfferState = { ...open, complete: true };
const withdrawn: OfferState = { ...open, withdrawn: true };

const responsesAfter = (state: OfferState, action: Action): unknown => {
  const outcome = transition(state, action);
  return outcome.allowed && outcome.state.recipients.map(({ response }) => response);
};

// From the decisions: D-08 for responses, D-11 for completion, D-10 for withdrawal.
describe.each([
  { state: open, closedBy: undefined },
  { state: completed, closedBy: "offer_completed" },
  { state: withdrawn, closedBy: "offer_withdrawn" },
  { state: { ...completed, withdrawn: true }, closedBy: "offer_withdrawn" },
])("transitions of an offer with complete $state.complete and withdrawn $state.withdrawn", ({ state, closedBy }) => {
  const { complete, withdrawn } = state;
  const actions: [Action, after: Partial<OfferState> | "rejected when closed"][] = [
    [
      { type: "open", workerId: "amal" },
      { complete, withdrawn },
    ],
    [
      { type: "close", workerId: "amal" },
      { complete, withdrawn },
    ],
    [{ type: "apply", workerId: "amal" }, "rejected when closed"],
    [{ type: "reject", workerId: "amal" }, "rejected when closed"],
    [{ type: "complete", workerIds: ["amal"] }, "rejected when closed"],
    [{ type: "withdraw" }, { complete, withdrawn: true }],
  ];

  test.each(actions)("%o results in %o", (action, after) => {
    const outcome = transition(state, action);
    if (after !== "rejected when closed") expect(outcome).toMatchObject({ allowed: true, state: after });
    else if (closedBy !== undefined) expect(outcome).toEqual({ allowed: false, refusal: { code: closedBy } });
    else expect(outcome).toMatchObject({ allowed: true, state: { complete: action.type === "complete" } });
  });
});

test("the transition table defines every action in every state", () => {
  expect(Object.keys(transitionTable)).toEqual(["open", "close", "apply", "reject", "complete", "withdraw"]);
  for (const row of Object.values(transitionTable))
    expect(Object.keys(row)).toEqual(["open", "complete", "withdrawn", "completeAndWithdrawn"]);
});

describe("a worker's response", () => {
  test("a response that changes from none to applied triggers an accepted event", () =>
    expect(transition(open, { type: "apply", workerId: "cleo" })).toMatchObject({
      effects: [{ type: "workerOfferResponse", workerId: "cleo", response: "accepted" }],
      state: { recipients: [{}, {}, { workerId: "cleo", response: "applied" }] },
    }));

  test("a response that changes from none to rejected triggers a rejected event", () =>
    expect(transition(open, { type: "reject", workerId: "cleo" })).toMatchObject({
      effects: [{ type: "workerOfferResponse", workerId: "cleo", response: "rejected" }],
    }));

  test.each([
    [{ type: "reject", workerId: "amal" }, "rejected"],
    [{ type: "apply", workerId: "ben" }, "accepted"],
  ] as const)("a changed response triggers an event: %o", (action, response) =>
    expect(transition(open, action)).toMatchObject({ allowed: true, effects: [{ response }] }),
  );

  test.each([
    { type: "apply", workerId: "amal" },
    { type: "reject", workerId: "ben" },
  ] as const)("a repeated response triggers no event: %o", (action) =>
    expect(transition(open, action)).toEqual({ allowed: true, state: open, effects: [] }),
  );

  test.each([
    [completed, "offer_completed"],
    [withdrawn, "offer_withdrawn"],
    [{ ...completed, withdrawn: true }, "offer_withdrawn"],
  ])(
    "a response to a complete or withdrawn offer is rejected, even if it repeats an earlier response",
    (state, code) => {
      for (const type of ["apply", "reject"] as const)
        expect(transition(state, { type, workerId: "amal" })).toEqual({ allowed: false, refusal: { code } });
    },
  );

  test("a response leaves the responses of other workers unchanged", () =>
    expect(responsesAfter(open, { type: "apply", workerId: "ben" })).toEqual(["applied", "applied", "none"]));
});

describe("viewing an offer", () => {
  test.each([open, completed, withdrawn])("viewing an offer changes nothing and does not notify workers", (state) => {
    for (const type of ["open", "close"] as const)
      expect(transition(state, { type, workerId: "amal" })).toEqual({ allowed: true, state, effects: [] });
  });
});

test.each(["open", "apply", "reject", "close"] as const)("rejects %s by a worker the offer was not sent to", (type) =>
  expect(transition(open, { type, workerId: "dana" })).toEqual({ allowed: false, refusal: { code: "not_addressed" } }),
);

describe("completion", () => {
  test("a completion confirms the selected workers and notifies all workers, even if they rejected or never responded", () =>
    expect(transition(open, { type: "complete", workerIds: ["amal"] })).toEqual({
      allowed: true,
      state: {
        complete: true,
        withdrawn: false,
        recipients: [{ workerId: "amal", response: "applied", confirmation: "confirmed" }, ...open.recipients.slice(1)],
      },
      effects: [
        { type: "notify", reason: "successful", workerIds: ["amal"] },
        { type: "notify", reason: "unsuccessful", workerIds: ["ben", "cleo"] },
      ],
    }));

  test("a completion counts a repeated worker id once", () =>
    expect(transition(open, { type: "complete", workerIds: ["amal", "amal"] })).toMatchObject({
      effects: [{ workerIds: ["amal"] }, {}],
    }));

  test("a completion reports workers who have not applied or did not receive the offer", () =>
    expect(transition(open, { type: "complete", workerIds: ["ben", "amal", "cleo", "dana"] })).toEqual({
      allowed: false,
      refusal: { code: "worker_not_applied", indexes: [0, 2, 3] },
    }));

  test("a completion without workers is rejected", () =>
    expect(transition(open, { type: "complete", workerIds: [] }).allowed).toBe(false));

  test.each([
    [completed, "offer_completed"],
    [withdrawn, "offer_withdrawn"],
  ])("a completion is rejected when the offer is already complete or withdrawn", (state, code) =>
    expect(transition(state, { type: "complete", workerIds: ["amal"] })).toEqual({ allowed: false, refusal: { code } }),
  );
});

describe("withdrawal", () => {
  test.each([open, completed])("a withdrawal notifies all workers and does not change the complete flag", (state) =>
    expect(transition(state, { type: "withdraw" })).toEqual({
      allowed: true,
      state: { ...state, withdrawn: true },
      effects: [{ type: "notify", reason: "withdrawn", workerIds: ["amal", "ben", "cleo"] }],
    }),
  );

  test("a repeated withdrawal has no effect and does not notify workers", () =>
    expect(transition(withdrawn, { type: "withdraw" })).toEqual({ allowed: true, state: withdrawn, effects: [] }));
});
