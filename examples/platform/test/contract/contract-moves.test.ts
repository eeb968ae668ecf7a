// Tests the states of an offer in spec/interface.md: the actions, their effects and notifications.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readEvents } from "../support/read-events.ts";
import { type HarbourFixture, openHarbourFixture } from "./harbour-fixture.ts";

describe("an offer's states", () => {
  let fixture: HarbourFixture;
  beforeAll(async () => {
    fixture = await openHarbourFixture();
    expect((await fixture.enterProfile()).status).toBe(200);
  });
  afterAll(() => fixture.close());

  const act = async (workerId: string, offerId: string, action: string) =>
    (await fixture.callApp(workerId, "POST", `/offers/${offerId}/${action}`)).status;
  const readOffer = async (offerId: string) =>
    (await fixture.callApi("GET", `/offer/${offerId}`)).json<{
      isHistoric: boolean;
      widthdrawn: boolean;
      complete: boolean;
      recipients: { workerId: string; response: string; confirmation: string }[];
    }>();
  const readFlags = async (offerId: string) => {
    const { isHistoric, widthdrawn, complete } = await readOffer(offerId);
    return { isHistoric, widthdrawn, complete };
  };
  const openStream = async (workerId: string) => {
    const token = await fixture.platform.signInWorker(workerId);
    return readEvents(`${fixture.platform.address}/worker-app/notifications/stream`, token);
  };
  const waitForNotifications = (workerId: string, offerId: string, count: number) =>
    eventually(
      `${workerId} is notified`,
      async () => (await fixture.readNotifications(workerId, offerId)).length >= count,
    );
  const offerNotification = { reason: "offer", successful: null };

  // Amal has an iOS device, and Ben has an Android device.
  test.each([
    ["hirer", "demo-key-harbour", "user_hana"],
    ["agency", "demo-key-crew", "user_ada"],
  ])(
    "an offer by a %s is pushed to every worker in workerIds, on iOS and Android, and to no other worker [interface: Introduction 1] [interface: Overview 1, 1b, 1c] [interface: Creation workerIds] [interface: States 2, Create offer] [interface: Events 1, Offer notification]",
    async (_, key, createdByUserId) => {
      const [amal, ben, cleo] = await Promise.all(["worker_amal", "worker_ben", "worker_cleo"].map(openStream));
      const offerId = await fixture.createOffer({ createdByUserId }, { key });
      const eventsAboutOffer = (reader: typeof amal) => reader?.events.filter(({ data }) => data.offerId === offerId);
      await eventually("both are notified", () =>
        [amal, ben].every((reader) => eventsAboutOffer(reader)?.length === 1),
      );
      const nextId = await fixture.createOffer({ workerIds: ["worker_cleo"] });
      await eventually(
        "Cleo is notified of the next offer",
        () => !!cleo?.events.some(({ data }) => data.offerId === nextId),
      );
      expect(eventsAboutOffer(cleo)).toEqual([]);
      for (const reader of [amal, ben]) expect(eventsAboutOffer(reader)?.[0]?.data.reason).toBe("offer");
      for (const reader of [amal, ben, cleo]) reader?.disconnect();
    },
  );

  test("an offer appears when the worker taps the notification or opens the menu [interface: Overview 1d] [interface: Events Offer notification]", async () => {
    const stream = await openStream("worker_amal");
    const offerId = await fixture.createOffer({ title: "Tapped", workerIds: ["worker_amal"] });
    await eventually("the notification arrives", () => stream.events.some(({ data }) => data.offerId === offerId));
    stream.disconnect();
    const notification = stream.events.find(({ data }) => data.offerId === offerId);
    const menu = (await fixture.callApp("worker_amal", "GET", "/notifications")).json<{
      notifications: { offerId: string }[];
    }>();
    for (const shownId of [notification?.data.offerId, menu.notifications[0]?.offerId])
      expect((await fixture.callApp("worker_amal", "GET", `/offers/${shownId}`)).json()).toMatchObject({
        title: "Tapped",
      });
  });

  test("a worker who applies has the response applied and triggers the webhook [D-14] [interface: Overview 1, 2, 2b, 5h] [interface: Recipient response] [interface: States 2, Worker applies] [interface: Webhooks Worker Offer Response] [interface: Events Worker Offer Response]", async () => {
    const offerId = await fixture.createOffer();
    expect(await act("worker_amal", offerId, "apply")).toBe(204);
    expect(await fixture.waitForReportedResponses(offerId)).toEqual([
      { workerId: "worker_amal", response: "accepted" },
    ]);
    expect((await readOffer(offerId)).recipients).toMatchObject([
      { workerId: "worker_amal", response: "applied" },
      { workerId: "worker_ben", response: "none" },
    ]);
  });

  test("a worker who rejects has the response rejected and triggers the webhook [D-04] [interface: Overview 2, 2b] [interface: Recipient response] [interface: States 2, Worker rejects] [interface: Webhooks Worker Offer Response] [interface: Events Worker Offer Response]", async () => {
    const offerId = await fixture.createOffer();
    expect(await act("worker_ben", offerId, "reject")).toBe(204);
    expect(await fixture.waitForReportedResponses(offerId)).toEqual([{ workerId: "worker_ben", response: "rejected" }]);
    expect((await readOffer(offerId)).recipients).toMatchObject([{ response: "none" }, { response: "rejected" }]);
  });

  test("a worker who closes the offer view or does not respond triggers no webhook [interface: Overview 2] [interface: States 2, Worker closes the offer view or does not answer]", async () => {
    const offerId = await fixture.createOffer({ workerIds: ["worker_amal", "worker_ben", "worker_cleo"] });
    for (const action of ["open", "close", "open", "close"]) expect(await act("worker_ben", offerId, action)).toBe(204);
    expect(await act("worker_amal", offerId, "apply")).toBe(204);
    expect(await fixture.waitForReportedResponses(offerId)).toEqual([
      { workerId: "worker_amal", response: "accepted" },
    ]);
  });

  test("a worker who was not sent the offer can neither apply nor reject [D-36] [interface: States Worker applies, Worker rejects]", async () => {
    const offerId = await fixture.createOffer();
    expect([await act("worker_dana", offerId, "apply"), await act("worker_dana", offerId, "reject")]).toEqual([
      404, 404,
    ]);
    expect(await fixture.waitForReportedResponses(offerId)).toEqual([]);
    expect((await readOffer(offerId)).recipients.map(({ response }) => response)).toEqual(["none", "none"]);
  });

  test("a response can change until the offer is complete; each change is sent, and a repeated response is not [D-08] [interface: States 4]", async () => {
    const offerId = await fixture.createOffer();
    for (const action of ["apply", "apply", "reject", "reject", "apply"])
      expect(await act("worker_amal", offerId, action)).toBe(204);
    await fixture.complete(offerId, ["worker_amal"]);
    expect([await act("worker_amal", offerId, "reject"), await act("worker_ben", offerId, "apply")]).toEqual([
      409, 409,
    ]);
    const responses = (await fixture.waitForReportedResponses(offerId)).map(({ response }) => response);
    expect(responses).toEqual(["accepted", "rejected", "accepted"]);
  });

  test("a completion notifies every worker of the outcome, regardless of their response [D-05] [D-09] [D-11] [interface: Overview 3, 3b] [interface: Recipient confirmation] [interface: States 2, Complete offer, 4] [interface: Events Decision notification]", async () => {
    const workerIds = ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"];
    const offerId = await fixture.createOffer({ workerIds });
    for (const workerId of ["worker_amal", "worker_ben"]) await act(workerId, offerId, "apply");
    await act("worker_cleo", offerId, "reject");
    // A repeated id counts only once.
    expect((await fixture.complete(offerId, ["worker_amal", "worker_amal"])).status).toBe(204);
    for (const workerId of workerIds) await waitForNotifications(workerId, offerId, 2);
    expect(await fixture.readNotifications("worker_amal", offerId)).toEqual([
      offerNotification,
      { reason: "successful", successful: true },
    ]);
    for (const workerId of workerIds.slice(1))
      expect(await fixture.readNotifications(workerId, offerId)).toEqual([
        offerNotification,
        { reason: "unsuccessful", successful: false },
      ]);
    expect((await readOffer(offerId)).recipients.map(({ confirmation }) => confirmation)).toEqual([
      "confirmed",
      "",
      "",
      "",
    ]);
  });

  test("a withdrawal notifies every worker addressed at creation, regardless of their response, and no other worker [interface: Overview 4b] [interface: States 2, Withdraw offer] [interface: Events Withdrawal notification]", async () => {
    const workerIds = ["worker_amal", "worker_ben", "worker_cleo"];
    const offerId = await fixture.createOffer({ workerIds });
    await act("worker_amal", offerId, "apply");
    await act("worker_ben", offerId, "reject");
    expect((await fixture.callApi("GET", `/offer/${offerId}/withdraw`)).status).toBe(200);
    const withdrawn = { reason: "withdrawn", successful: null };
    for (const workerId of workerIds) {
      await waitForNotifications(workerId, offerId, 2);
      expect(await fixture.readNotifications(workerId, offerId)).toEqual([offerNotification, withdrawn]);
    }
    expect(await fixture.readNotifications("worker_dana", offerId)).toEqual([]);
  });

  test("creation, completion and withdrawal trigger no webhook [interface: Events 1]", async () => {
    const offerId = await fixture.createOffer();
    await act("worker_amal", offerId, "apply");
    await fixture.waitForReportedResponses(offerId);
    const countBefore = fixture.receiver.requests.length;
    const otherId = await fixture.createOffer();
    await fixture.complete(offerId, ["worker_amal"]);
    for (const id of [offerId, otherId]) await fixture.callApi("GET", `/offer/${id}/withdraw`);
    await waitForNotifications("worker_ben", offerId, 3);
    await fixture.waitForReportedResponses(otherId);
    expect(fixture.receiver.requests.slice(countBefore)).toEqual([]);
  });

  test("the webhook goes to the organisation that created the offer, or for which an agency created it [D-37] [D-39]", async () => {
    const agencyOfferId = await fixture.createOffer({ createdByUserId: "user_ada" }, { key: "demo-key-crew" });
    const harbourOfferId = await fixture.createOffer(
      { createdByUserId: "user_ada" },
      { key: "demo-key-crew-for-harbour" },
    );
    for (const offerId of [agencyOfferId, harbourOfferId]) expect(await act("worker_amal", offerId, "apply")).toBe(204);
    expect([
      await fixture.waitForReportedResponses(agencyOfferId),
      await fixture.waitForReportedResponses(harbourOfferId),
    ]).toEqual([[], [{ workerId: "worker_amal", response: "accepted" }]]);
  });

  test("only the creator can read, complete and withdraw an offer [interface: Overview 3, 4]", async () => {
    const offerId = await fixture.createOffer();
    await act("worker_amal", offerId, "apply");
    const foreignKey = { key: "demo-key-crew" };
    const completion = { ...foreignKey, json: ["worker_amal"] };
    for (const response of [
      await fixture.callApi("GET", `/offer/${offerId}`, foreignKey),
      await fixture.callApi("POST", `/offer/${offerId}/complete?api-version=1.0`, completion),
      await fixture.callApi("GET", `/offer/${offerId}/withdraw`, foreignKey),
    ])
      expect(response.status).toBe(404);
    expect(await readFlags(offerId)).toEqual({ isHistoric: false, widthdrawn: false, complete: false });
    expect((await fixture.complete(offerId, ["worker_amal"])).status).toBe(204);
  });

  test("a completion only sets complete, and a withdrawal only sets widthdrawn [D-07] [interface: Offer complete] [interface: States 1, 3]", async () => {
    const initialFlags = { isHistoric: false, widthdrawn: false, complete: false };
    const [offerId, otherId] = [await fixture.createOffer(), await fixture.createOffer()];
    await act("worker_amal", offerId, "apply");
    expect(await readFlags(offerId)).toEqual(initialFlags);
    await fixture.complete(offerId, ["worker_amal"]);
    expect(await readFlags(offerId)).toEqual({ ...initialFlags, complete: true });
    for (const id of [offerId, otherId]) await fixture.callApi("GET", `/offer/${id}/withdraw`);
    expect(await readFlags(offerId)).toEqual({ ...initialFlags, complete: true, widthdrawn: true });
    expect(await readFlags(otherId)).toEqual({ ...initialFlags, widthdrawn: true });
  });

  test("isHistoric is true when the last event has ended, and false without events [D-06] [interface: Offer isHistoric]", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const past = { start: `${today}T00:00:00Z`, end: `${today}T00:00:00.001Z` };
    const future = { start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" };
    const isHistoric = async (events: object[]) => (await readFlags(await fixture.createOffer({ events }))).isHistoric;
    expect([await isHistoric([past, past]), await isHistoric([future, past]), await isHistoric([])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("an offer whose last event has ended can still be applied for, completed and withdrawn [D-06] [D-29]", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const past = { start: `${today}T00:00:00Z`, end: `${today}T00:00:00.001Z` };
    const offerId = await fixture.createOffer({ events: [past] });
    expect(await act("worker_amal", offerId, "apply")).toBe(204);
    await fixture.complete(offerId, ["worker_amal"]);
    await fixture.callApi("GET", `/offer/${offerId}/withdraw`);
    expect(await readFlags(offerId)).toEqual({ isHistoric: true, complete: true, widthdrawn: true });
  });

  test("an offer can be completed once, with workers who applied, and not after a withdrawal [D-11] [interface: Errors 3]", async () => {
    const offerId = await fixture.createOffer();
    await act("worker_amal", offerId, "apply");
    await act("worker_ben", offerId, "apply");
    await act("worker_ben", offerId, "reject");
    const completionStatus = async (...workerIds: string[]) => (await fixture.complete(offerId, workerIds)).status;
    expect([
      await completionStatus(),
      await completionStatus("worker_ben"),
      await completionStatus("worker_amal", "worker_dana"),
    ]).toEqual([400, 400, 400]);
    expect([await completionStatus("worker_amal"), await completionStatus("worker_amal")]).toEqual([204, 409]);
    const otherId = await fixture.createOffer();
    await act("worker_amal", otherId, "apply");
    await fixture.callApi("GET", `/offer/${otherId}/withdraw`);
    expect((await fixture.complete(otherId, ["worker_amal"])).status).toBe(409);
  });
});
