// The tests that an organisation would write. testReceiver simulates the service.
import { type TestedReceiver, testReceiver } from "@offers/webhook-kit/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createApp } from "../src/app.ts";
import { Roster } from "../src/roster.ts";

const secret = "a-secret-of-the-company-profile";
const search = { userEmailAddresses: ["hana@harbour-hotels.example"] };
const workerResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const deletedSlot = { offerId: "offer_1", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };
const changedTimeline = {
  workerId: "worker_amal",
  periodStart: "2099-05-01T00:00:00Z",
  periodEnd: "2099-05-08T00:00:00Z",
  completedAt: "2099-04-20T09:30:00Z",
};

let roster: Roster;
let receiver: TestedReceiver;

beforeEach(async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  roster = new Roster();
  receiver = await testReceiver(createApp(secret, roster), { secret, basePath: "/offers" });
});
afterEach(() => {
  vi.restoreAllMocks();
  return receiver.close();
});

const readRoster = () => JSON.parse(JSON.stringify(roster));

test("the receiver meets the requirements of the contract", async () => {
  const problems = await receiver.checkContract({
    workerOfferResponse: workerResponse,
    workerAddedContact: { workerId: "worker_amal" },
    contactSuggestions: search,
    offerEventDeleted: deletedSlot,
    timelineChanged: changedTimeline,
  });
  expect(problems).toEqual([]);
});

test("the roster contains the latest response of each worker", async () => {
  await receiver.workerOfferResponse(workerResponse);
  await receiver.workerOfferResponse({ ...workerResponse, workerId: "worker_ben" });
  await receiver.workerOfferResponse({ ...workerResponse, response: "rejected" });
  expect(readRoster().offers).toEqual({ offer_1: { worker_amal: "rejected", worker_ben: "accepted" } });
});

test("the roster lists each worker who shares availability once, and the time of the latest change", async () => {
  await receiver.workerAddedContact({ workerId: "worker_amal" });
  await receiver.workerAddedContact({ workerId: "worker_amal" });
  expect((await receiver.timelineChanged(changedTimeline)).status).toBe(200);
  expect(readRoster()).toMatchObject({
    sharedWith: ["worker_amal"],
    timelines: { worker_amal: "2099-04-20T09:30:00Z" },
  });
});

test("the roster shows a gap when a worker deletes a time slot", async () => {
  expect((await receiver.offerEventDeleted(deletedSlot)).status).toBe(200);
  expect(readRoster().gaps).toEqual({ offer_1: { worker_amal: "2099-05-01T16:00:00Z" } });
});

test("the receiver suggests people to the manager who has worked with them, and nobody to an unknown user", async () => {
  const suggestNames = async (userEmailAddresses: string[]) =>
    (await receiver.contactSuggestions({ userEmailAddresses })).suggestions?.map(({ name }) => name);
  expect(await suggestNames(["hana.lind@harbour-hotels.example"])).toEqual(["Émile Dupont"]);
  expect(await suggestNames(["stranger@example.com"])).toEqual([]);
});
