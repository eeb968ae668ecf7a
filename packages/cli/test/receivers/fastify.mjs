// A correct receiver that is typical of Fastify and does not use the packages of this project. It accepts both digests.
import { createHash, createHmac } from "node:crypto";
import fastify from "fastify";

const secret = process.env.WEBHOOK_SECRET;
const app = fastify({ bodyLimit: 256 * 1024 });

app.get("/offers/test", async () => "ok");

app.register((scope, _options, registered) => {
  scope.addHook("onRequest", async ({ raw: { headersDistinct } }, reply) => {
    const [timestamp = "", ...timestamps] = headersDistinct.timestamp ?? [];
    const [authorization = "", ...authorizations] = headersDistinct.authorization ?? [];
    const isFresh = Math.abs(Date.now() - new Date(timestamp).getTime()) < 5 * 60 * 1000;
    const digests = [createHash("sha256").update(timestamp + secret), createHmac("sha256", secret).update(timestamp)];
    const isSigned = digests.some((digest) => `hmac ${digest.digest("hex").toUpperCase()}` === authorization);
    if (timestamps.length + authorizations.length > 0 || !isFresh || !isSigned) return reply.code(403).send();
    return undefined;
  });
  scope.get("/offers/test/auth", async (_, reply) => reply.code(200).send());
  scope.post("/offers/offer/response", async (_, reply) => reply.code(200).send());
  scope.post("/offers/events/timelineChanged", async (_, reply) => reply.code(200).send());
  scope.post("/offers/offer/eventDeleted", async (_, reply) => reply.code(200).send());
  registered();
});

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
