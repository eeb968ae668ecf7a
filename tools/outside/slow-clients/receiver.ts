// A receiver as the guides show it, as a process of its own: a server of Node with its defaults.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { webhookListener } from "@offers/webhook-kit/node";

const server = createServer(
  webhookListener({
    basePath: "/offers",
    secret: process.env.WEBHOOK_SECRET ?? "",
    onEvent: () => undefined,
    onRejected: () => undefined,
  }),
).listen(0, "127.0.0.1", () => {
  console.log(`receiver listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
