import { createServer } from "node:http";
import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { probe } from "../../../cli/src/probe/probe.ts";
import type { Scheme } from "../../../cli/src/signature/sign-request.ts";
import { parseUrl } from "../../../cli/src/wire/receiver-url.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { createHttpApi } from "../recipes/lambda-events.ts";
import { adapters } from "../support/adapters.ts";
import { serveUntilTestFinished } from "../support/serve.ts";

const secrets: Record<Scheme, string> = {
  timestampDigest: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
  standardWebhooks: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};

/** Returns the options of an integrator who handles every event. */
const integratorOptions = (scheme: Scheme): ReceiverOptions => ({
  secret: secrets[scheme],
  scheme: scheme === "standardWebhooks" ? standardWebhooks() : timestampDigest(),
  onWorkerOfferResponse: () => undefined,
  onWorkerAddedContact: () => undefined,
  onOfferEventDeleted: () => undefined,
  onTimelineChanged: () => undefined,
  suggestContacts: () => [],
});

const basePath = "/offers";

async function serveOnFastify(options: ReceiverOptions): Promise<{ url: string }> {
  const webhooks = webhookListener({ ...options, basePath });
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  app.all(`${basePath}/*`, (request, reply) => {
    reply.hijack();
    webhooks(request.raw, reply.raw);
  });
  await app.ready();
  return serveUntilTestFinished(app.server.listen(0, "127.0.0.1"));
}

const serveOnLambda = (options: ReceiverOptions): Promise<{ url: string }> =>
  serveUntilTestFinished(createServer(createHttpApi(webhookFunction({ ...options, basePath }))).listen(0, "127.0.0.1"));

const servers: [name: string, serve: (options: ReceiverOptions) => Promise<{ url: string }>][] = [
  ...adapters.map(({ name, serve }): (typeof servers)[number] => [name, (options) => serve(options, basePath)]),
  ["Fastify", serveOnFastify],
  ["Lambda", serveOnLambda],
];

describe.each(["timestampDigest", "standardWebhooks"] as Scheme[])("under %s", (scheme) => {
  test.each(servers)("offers probe finds no defects in %s", async (_, serve) => {
    const { url } = await serve(integratorOptions(scheme));
    const { findings, sent } = await probe({
      url: parseUrl(`${url}${basePath}`),
      scheme,
      secret: secrets[scheme],
      allowEvents: true,
      only: [],
      // The stalled body takes 10 seconds.
      skip: ["timing/stalled-body"],
    });
    const defects = findings.filter(({ severity }) => severity === "defect");
    expect(defects.map(({ code, evidence }) => [code, evidence.map(({ id, text }) => `${id}: ${text}`)])).toEqual([]);
    expect(sent).toBeGreaterThan(200);
  });
});
