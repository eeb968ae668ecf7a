import { standardWebhooks } from "@offers/webhook-kit";
import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { Pool } from "pg";
import { type ReceiverCandidate, secret } from "../receivers/candidate.ts";

const scheme = standardWebhooks();

type Handler = NonNullable<Parameters<typeof webhookRouter>[0]["onWorkerOfferResponse"]>;

/** A receiver whose handler writes one row to PostgreSQL; of all candidates alike, so that only the handler differs. */
export const receiverOf = (label: string, createHandler: (pool: Pool) => Handler): ReceiverCandidate => ({
  label,
  sign: (body, id) => scheme.sign({ secret, now: new Date(), body: Buffer.from(body), id }),
  receive(handled) {
    const pool = new Pool({ connectionString: process.env.INBOX_DATABASE_URL });
    pool.on("error", ({ message }) => console.error(message));
    const handle = createHandler(pool);
    const app = express();
    const options = { secret, scheme, onError: (error: Error) => console.error(error.cause) };
    const onWorkerOfferResponse: Handler = async (event, context) => {
      await handle(event, context);
      handled();
    };
    app.use("/hooks", webhookRouter({ ...options, onWorkerOfferResponse }));
    return app;
  },
});

export const insert = "INSERT INTO responses (offer_id, worker_id, response) VALUES ($1, $2, $3)";
