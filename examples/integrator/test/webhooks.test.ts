// A test that an organisation would write: testReceiver simulates the service.
import { type TestedReceiver, testReceiver } from "@offers/webhook-kit/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createApp } from "../src/app.ts";
import { Roster } from "../src/roster.ts";

const secret = "a-secret-of-the-company-profile";
const search = { userEmailAddresses: ["hana@harbour-hotels.example"] };
const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const deleted = { offerId: "offer_1", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };
const changed = {
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

test("meets the contract's requirements for a receiver with its own handlers", async () => {
  const problems = await receiver.checkContract({
    workerOfferResponse: accepted,
    workerAddedContact: { workerId: "worker_amal" },
    contactSuggestions: search,
    offerEventDeleted: deleted,
    timelineChanged: changed,
  });
  expect(problems).toEqual([]);
});

test("keeps a worker's latest response", async () => {
  await receiver.workerOfferResponse(accepted);
  await receiver.workerOfferResponse({ ...accepted, workerId: "worker_ben" });
  await receiver.workerOfferResponse({ ...accepted, response: "rejected" });
  expect(readRoster().offers).toEqual({ offer_1: { worker_amal: "rejected", worker_ben: "accepted" } });
});

test("records each worker who shares availability once, with the time of the latest change", async () => {
  await receiver.workerAddedContact({ workerId: "worker_amal" });
  await receiver.workerAddedContact({ workerId: "worker_amal" });
  expect((await receiver.timelineChanged(changed)).status).toBe(200);
  expect(readRoster()).toMatchObject({
    sharedWith: ["worker_amal"],
    timelines: { worker_amal: "2099-04-20T09:30:00Z" },
  });
});

test("shows a gap when a worker deletes a slot", async () => {
  expect((await receiver.offerEventDeleted(deleted)).status).toBe(200);
  expect(readRoster().gaps).toEqual({ offer_1: { worker_amal: "2099-05-01T16:00:00Z" } });
});

test("suggests people the manager has worked with, and nobody to an unknown user", async () => {
  const namesFor = async (userEmailAddresses: string[]) =>
    (await receiver.contactSuggestions({ userEmailAddresses })).suggestions?.map(({ name }) => name);
  expect(await namesFor(["hana.lind@harbour-hotels.example"])).toEqual(["Émile Dupont"]);
  expect(await namesFor(["stranger@example.com"])).toEqual([]);
});
