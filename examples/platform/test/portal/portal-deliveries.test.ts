import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { CallOptions } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { requireSignature, usePortal } from "./use-portal.ts";

describe.each(await anyStore())("the portal on $title", ({ createDatabase }) => {
  const portal = usePortal(createDatabase);
  const { call, save } = portal;

  describe("offers and deliveries", () => {
    const createOffer = async (): Promise<string> => {
      const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal", "worker_ben"] };
      return (await portal.platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>()
        .id;
    };
    const callAsWorker = async (workerId: string, path: string, options: CallOptions = {}) =>
      call("POST", `/worker-app/${path}`, { ...options, token: await portal.platform.signInWorker(workerId) });
    type PortalDelivery = { id: string; state: string; type: string; data: { offerId?: string }; attempts: object[] };
    const readDeliveries = async (offerId: string): Promise<PortalDelivery[]> => {
      const deliveries = (await call("GET", "/portal/deliveries")).json<{ deliveries: PortalDelivery[] }>().deliveries;
      return deliveries.filter(({ data }) => data.offerId === offerId);
    };

    test("a response is delivered once, signed, and listed with its attempt", async () => {
      await save();
      const offerId = await createOffer();
      await callAsWorker("worker_amal", `offers/${offerId}/apply`);
      await callAsWorker("worker_amal", `offers/${offerId}/apply`);
      await callAsWorker("worker_ben", `offers/${offerId}/open`);
      await callAsWorker("worker_ben", `offers/${offerId}/close`);
      await eventually("the response is delivered", async () =>
        (await readDeliveries(offerId)).some(({ state }) => state === "acknowledged"),
      );
      expect(await readDeliveries(offerId)).toEqual([
        {
          id: expect.any(String),
          eventId: expect.any(String),
          type: "workerOfferResponse",
          data: { offerId, workerId: "worker_amal", response: "accepted" },
          state: "acknowledged",
          redeliveryOf: null,
          createdAt: expect.any(String),
          nextAttemptAt: null,
          attempts: [
            {
              number: 1,
              method: "POST",
              path: "/offer/response",
              startedAt: expect.any(String),
              status: 200,
              error: null,
              milliseconds: expect.any(Number),
            },
          ],
        },
      ]);
      const sent = portal.receiver.requests.filter(({ method }) => method === "POST");
      expect(sent.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
        ["/hooks/offer/response", { offerId, workerId: "worker_amal", response: "accepted" }],
      ]);
    });

    test("a contact that a worker adds is sent to that organisation", async () => {
      await save();
      expect((await callAsWorker("worker_cleo", "contacts", { json: { organisationId: "org_harbour" } })).status).toBe(
        204,
      );
      await eventually("the contact is delivered", () =>
        portal.receiver.requests.some(({ url }) => url === "/hooks/contact/new/worker_cleo"),
      );
      const unknownOrganisation = await callAsWorker("worker_cleo", "contacts", {
        json: { organisationId: "org_unknown" },
      });
      expect(unknownOrganisation.json()).toMatchObject({ status: 404, code: "organisation_not_found" });
    });

    test("a failed delivery is redelivered with its id, and an acknowledged delivery with a new id", async () => {
      await save();
      const offerId = await createOffer();
      portal.receiver.respond = respondWith(500);
      await callAsWorker("worker_amal", `offers/${offerId}/reject`);
      await eventually("the delivery has failed", async () => (await readDeliveries(offerId))[0]?.state === "dead");
      const [dead] = await readDeliveries(offerId);
      expect(dead?.attempts).toMatchObject([
        { number: 1, status: 500, error: "not_acknowledged" },
        { number: 2, status: 500 },
        { number: 3, status: 500 },
      ]);
      const path = `/portal/deliveries/${dead?.id}/redeliver`;
      const foreignToken = await portal.platform.signInPerson("bo@bistro-group.example");
      expect((await call("POST", path, { token: foreignToken })).json()).toMatchObject({
        code: "delivery_not_found",
      });

      portal.receiver.respond = requireSignature(respondWith(200));
      expect((await call("POST", path)).json()).toEqual({ id: dead?.id });
      await eventually(
        "the delivery is acknowledged",
        async () => (await readDeliveries(offerId))[0]?.state === "acknowledged",
      );
      expect((await readDeliveries(offerId))[0]?.id).toBe(dead?.id);
      expect((await call("POST", path)).json<{ id: string }>().id).not.toBe(dead?.id);
    });

    test("the portal lists only the organisation's offers, with the number of each response", async () => {
      const offerId = await createOffer();
      await callAsWorker("worker_amal", `offers/${offerId}/apply`);
      expect((await call("GET", "/portal/offers")).json<{ offers: object[] }>().offers[0]).toMatchObject({
        id: offerId,
        title: "Bar",
        complete: false,
        widthdrawn: false,
        isHistoric: false,
        responses: { applied: 1, rejected: 0, none: 1 },
      });
      const foreignToken = await portal.platform.signInPerson("bo@bistro-group.example");
      expect((await call("GET", "/portal/offers", { token: foreignToken })).json()).toEqual({
        offers: [],
        next: null,
      });
      expect((await call("GET", "/portal/deliveries", { token: foreignToken })).json()).toEqual({
        deliveries: [],
        next: null,
      });
    });
  });
});
