import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { timestampDigest } from "@offers/webhook-kit";
import { sql } from "kysely";
import type { Logger } from "pino";
import { dialects } from "./api/dialect.ts";
import { purgeAnswers } from "./api/purge-answers.ts";
import { createApp } from "./create-app.ts";
import { startDelivery } from "./delivery/start-delivery.ts";
import { EventStreams } from "./http/event-streams.ts";
import { jsonReader } from "./http/read-json.ts";
import { errorFields } from "./log/error-fields.ts";
import { createOutbound } from "./outbound/create-outbound.ts";
import { inboxTransport } from "./push/inbox-transport.ts";
import { openNotificationFeed } from "./push/notification-feed.ts";
import { startPush } from "./push/start-push.ts";
import { openQueue } from "./queue/open-queue.ts";
import { runLoop } from "./queue/run-loop.ts";
import { applySeed } from "./seed/apply-seed.ts";
import { readSeedFile } from "./seed/seed-file.ts";
import { passwordCheck } from "./session/check-password.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./store/open-store.ts";
import { parseSealKey, sealKey } from "./store/seal-key.ts";

export interface Platform {
  /** `http://127.0.0.1:3000` */
  address: string;
  /** `PGlite in data`, `PostgreSQL 15.20` */
  storeLabel: string;
  /** Takes no more requests and jobs, finishes those it has, and closes the store. */
  close(): Promise<void>;
}

/** Time for requests under way to be answered; a suggestion search, the longest, takes 5 s. */
const drainMs = 8_000;
const purgeMs = 10 * 60_000;

/** Opens the store, the queue, the loops over them and last the door. A failure closes again what was open. */
export async function startPlatform(settings: Settings, log: Logger, now = () => new Date()): Promise<Platform> {
  const resources: (() => Promise<unknown>)[] = [];
  const running: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled(running.map((stop) => stop()));
    for (const close of resources.reverse()) await close();
  };
  const onError = (error: unknown): void => log.error(errorFields(error), "background.failed");
  try {
    const { dataFolder, databaseUrl, allowLoopback, retrySchedule, bodyLimitBytes } = settings;
    const seed = settings.seedFile === undefined ? undefined : await readSeedFile(settings.seedFile);
    const store = await openStore({ dataFolder, onError, ...(databaseUrl !== undefined && { databaseUrl }) });
    resources.push(() => store.close());
    const key =
      settings.sealKey === undefined ? await sealKey(dataFolder) : parseSealKey(settings.sealKey, "OFFERS_SEAL_KEY");
    if (seed !== undefined) await applySeed(store, seed);
    const queue = await openQueue(store, { onError });
    resources.push(() => queue.stop());
    const outbound = createOutbound({ allowLoopback });
    resources.push(() => outbound.close());

    const scheme = timestampDigest();
    const sign = (secret: string) => scheme.sign({ secret, now: now() });
    const onAttempt = (record: object): void => log.info(record, "delivery.attempted");
    const context = { store, queue, outbound, sign, sealKey: key, onError, now };
    const feed = openNotificationFeed(store, { onError });
    const delivery = startDelivery({ ...context, retrySchedule, onAttempt });
    const push = startPush({ store, queue, transport: inboxTransport, onSent: feed.wake, onError, now });
    const purge = runLoop(() => purgeAnswers(context), { idleMs: purgeMs, onError });
    running.push(feed.stop, delivery.stop, push.stop, purge.stop);

    const streams = new EventStreams();
    const app = createApp({
      ...context,
      feed,
      streams,
      log,
      dialect: dialects[settings.dialect],
      readJson: jsonReader(bodyLimitBytes),
      checkPassword: passwordCheck(now),
      showAllMail: settings.showAllMail,
      wake() {
        delivery.wake();
        push.wake();
      },
      isReady: async () => closing === undefined && (await answers(sql`select 1`.execute(store.db))),
    });
    const server = createServer({ requestTimeout: 30_000 }, app);
    server.listen(settings.port, settings.host);
    await once(server, "listening");
    running.push(() => closeServer(server, streams));
    return {
      address: addressOf(server),
      storeLabel: store.label,
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const answers = (query: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    query.then(
      () => true,
      () => false,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, 2_000, false).unref()),
  ]);

async function closeServer(server: Server, streams: EventStreams): Promise<void> {
  const closed = once(server, "close");
  server.close();
  streams.end();
  const overdue = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(overdue);
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
