// A receiver as a process of its own, which prints what it gets. SIGUSR2 begins and ends an outage, with 503 for everything.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { webhookListener } from "@offers/webhook-kit/node";

const print = (line: object): void => console.log(JSON.stringify(line));

const webhooks = webhookListener({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse({ offerId, workerId, response }, { unverifiedDeliveryId }) {
    print({ offerId, workerId, response, deliveryId: unverifiedDeliveryId });
  },
  onRejected: ({ code }) => print({ rejected: code }),
  onError: ({ code }) => print({ failed: code }),
});

let isOut = false;
process.on("SIGUSR2", () => {
  isOut = !isOut;
});

const server = createServer((request, response) => {
  if (!isOut) return webhooks(request, response);
  print({ rejected: "outage" });
  response.writeHead(503).end();
}).listen(0, "127.0.0.1", () => {
  console.log(`receiver listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
