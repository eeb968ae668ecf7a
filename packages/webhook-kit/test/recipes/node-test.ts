// Tests a receiver with Node's own test runner.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { webhookRouter } from "@offers/webhook-kit/express";
import { type TestedReceiver, testReceiver } from "@offers/webhook-kit/testing";
import express from "express";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const handledWorkers: string[] = [];
const app = express().use(
  "/offers",
  webhookRouter({ secret, onWorkerAddedContact: ({ workerId }) => void handledWorkers.push(workerId) }),
);

let receiver: TestedReceiver;
before(async () => {
  receiver = await testReceiver(app, { secret, basePath: "/offers" });
});
after(() => receiver.close());

test("a worker's contact is handled once", async () => {
  const { status } = await receiver.workerAddedContact({ workerId: "worker_amal" });
  await receiver.resend();
  assert.deepEqual([status, handledWorkers], [200, ["worker_amal"]]);
});

test("the receiver follows the contract", async () => {
  assert.deepEqual(await receiver.checkContract(), []);
});
