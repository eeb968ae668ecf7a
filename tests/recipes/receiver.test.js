// A user's test in CommonJS, as Jest runs it without any configuration.
const express = require("express");
const { webhookRouter } = require("@offers/webhook-kit/express");
const { testReceiver } = require("@offers/webhook-kit/testing");

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const onWorkerAddedContact = jest.fn();
const app = express().use("/offers", webhookRouter({ secret, onWorkerAddedContact }));

let receiver;
beforeAll(async () => {
  receiver = await testReceiver(app, { secret, basePath: "/offers" });
});
afterAll(() => receiver.close());

test("a repeated webhook calls the handler once", async () => {
  const { status } = await receiver.workerAddedContact({ workerId: "worker_amal" });
  await receiver.resend();
  expect(status).toBe(200);
  expect(onWorkerAddedContact.mock.calls.map(([event]) => event)).toEqual([{ workerId: "worker_amal" }]);
});

test("the receiver meets the contract", async () => {
  expect(await receiver.checkContract()).toEqual([]);
});
