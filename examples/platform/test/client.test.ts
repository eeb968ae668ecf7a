import { ConflictError, NotFoundError, OffersClient } from "@offers/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type PlatformUnderTest } from "./platform-under-test.ts";
import { type StorePlace, storesUnderTest } from "./stores.ts";

describe.each(await storesUnderTest())("@offers/client and the platform on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let harbour: OffersClient;
  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place);
    harbour = new OffersClient({ baseUrl: platform.address, apiKey: "demo-key-harbour", maxRetries: 0 });
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });

  const create = () =>
    harbour.createOffer({
      createdByUserId: "user_hana",
      title: "Kitchen help",
      workerIds: ["worker_amal", "worker_ben"],
      events: [{ start: "2099-05-01T18:00:00+02:00", end: new Date("2099-05-01T22:00:00Z") }],
    });

  test("an offer is created, answered, completed and withdrawn", async () => {
    const { id } = await create();
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token });
    expect((await harbour.getOffer(id)).recipients.map(({ response }) => response)).toEqual(["applied", "none"]);
    await harbour.completeOffer(id, ["worker_amal"]);
    await harbour.withdrawOffer(id);
    expect(await harbour.getOffer(id)).toMatchObject({ complete: true, widthdrawn: true });
  });

  test("its errors are the client's typed ones", async () => {
    const { id } = await create();
    await harbour.withdrawOffer(id);
    const conflict = await harbour.completeOffer(id, ["worker_amal"]).safe();
    expect(conflict).toMatchObject({ ok: false, error: { status: 409, requestId: expect.any(String) } });
    expect(!conflict.ok && conflict.error).toBeInstanceOf(ConflictError);
    const foreign = harbour.withApiKey("demo-key-bistro").getOffer(id);
    await expect(foreign).rejects.toBeInstanceOf(NotFoundError);
  });
});
