// A receiver of webhooks, as a user of any runtime would write it. Every runtime serves exactly this file.
import { webhookHandler } from "@offers/webhook-kit/fetch";

const received = [];
const webhooks = webhookHandler({
  basePath: "/offers",
  secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
  onWorkerOfferResponse: (response) => void received.push(response),
});

export default {
  fetch: (request) => (new URL(request.url).pathname === "/received" ? Response.json(received) : webhooks(request)),
};
