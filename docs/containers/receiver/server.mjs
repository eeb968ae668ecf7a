import { webhookRouter } from "@offers/webhook-kit/express";
import { redisDeduplication } from "@offers/webhook-kit/redis";
import express from "express";
import { createClient } from "redis";

const redis = createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379" });
redis.on("error", (error) => console.error("redis", error.code));
await redis.connect();

const app = express();
app.use(
  "/offers",
  webhookRouter({
    secret: process.env.WEBHOOK_SECRET ?? "",
    deduplication: redisDeduplication(redis),
    onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
  }),
);

const port = Number(process.env.PORT ?? 3001);
const server = app.listen(port, () => console.log(`receiver listening on ${port}`));
server.keepAliveTimeout = 130_000; // longer than Caddy keeps an idle connection: 120 s

process.on("SIGTERM", () => {
  server.close(() => redis.close()); // first, let requests in progress finish
  setInterval(() => server.closeIdleConnections(), 100).unref(); // then close idle connections
});
