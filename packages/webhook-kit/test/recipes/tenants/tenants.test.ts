import { webhookRouter } from "@offers/webhook-kit/express";
import { testReceiver } from "@offers/webhook-kit/testing";
import express from "express";
import { beforeEach, describe, expect, test } from "vitest";
import { prepareRecipe } from "../../support/prepare-recipe.ts";

const harbour = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const meadow = "a1b6c2f0-7f7e-4f51-9d0c-3f8f3e6f2b77";
const log = prepareRecipe({ HARBOUR_WEBHOOK_SECRET: harbour, MEADOW_WEBHOOK_SECRET: meadow });
const { app: expressApp } = await import("./express-tenants.ts");
const { app: honoApp } = await import("./hono-tenants.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
beforeEach(() => log.mockClear());

describe.each([
  ["Express", expressApp],
  ["Hono", honoApp],
])("on %s", (_framework, app) => {
  test.each([
    ["harbour", harbour],
    ["meadow", meadow],
  ])("each tenant has its own base URL and secret: %s", async (tenant, secret) => {
    await using receiver = await testReceiver(app, { secret, basePath: `/${tenant}/offers` });
    expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
    expect(log.mock.calls).toEqual([[tenant, "offer_1", "worker_amal", "accepted"]]);
  });

  test("a tenant's secret is not accepted at another tenant's URL or at an unknown URL", async () => {
    for (const tenant of ["meadow", "unknown", "constructor"]) {
      await using receiver = await testReceiver(app, { secret: harbour, basePath: `/${tenant}/offers` });
      expect((await receiver.testAuth()).status).toBe(401);
    }
  });
});

test("on Express, a router between the tenant and the receiver must merge parameters", async () => {
  const webhooks = webhookRouter({ secret: ({ params }) => (params.tenant === "harbour" ? harbour : undefined) });
  for (const [mergeParams, status] of [
    [true, 200],
    [false, 401],
  ] as const) {
    const app = express().use("/:tenant", express.Router({ mergeParams }).use("/offers", webhooks));
    await using receiver = await testReceiver(app, { secret: harbour, basePath: "/harbour/offers" });
    expect((await receiver.testAuth()).status).toBe(status);
  }
});
