import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { dialects } from "./api/dialect.ts";
import { checkDatabase } from "./check-database.ts";
import { createApp } from "./create-app.ts";
import { makeDataFolder } from "./data-folder.ts";
import type { AttemptRecord } from "./delivery/attempt-record.ts";
import type { EndpointRecord } from "./delivery/endpoint-record.ts";
import { startDelivery } from "./delivery/start-delivery.ts";
import { addressOf } from "./http/address-of.ts";
import { EventStreams } from "./http/event-streams.ts";
import { checkPlace, listen } from "./http/listen.ts";
import { jsonReader } from "./http/read-json.ts";
import { errorFields } from "./log/error-fields.ts";
import { pingDatabase } from "./metrics/ping-database.ts";
import { metricsSettings } from "./metrics/serve-metrics.ts";
import { createOutbound } from "./outbound/create-outbound.ts";
import { createSigner } from "./outbound/create-signer.ts";
import { openLeases } from "./outbox/open-leases.ts";
import { openLiveTopics } from "./pages/live/live-topics.ts";
import { formReader } from "./pages/routing/read-form.ts";
import { cookiePassword } from "./pages/security/page-session.ts";
import { openNotificationFeed } from "./push/notification-feed.ts";
import { openPushTransport } from "./push/open-push-transport.ts";
import { startPush } from "./push/start-push.ts";
import { personLimits } from "./rate-limits/person-limits.ts";
import { rateLimits } from "./rate-limits/rate-limits.ts";
import { applySeed } from "./seed/apply-seed.ts";
import { readSeedFile } from "./seed/seed-file.ts";
import { passwordCheck } from "./session/check-password.ts";
import type { Settings } from "./settings.ts";
import { openSignals } from "./signals/open-signals.ts";
import { startOperations } from "./start-operations.ts";
import { openEncryptionKey } from "./store/encryption/open-encryption-key.ts";
import { openStore } from "./store/open-store.ts";

export interface Platform {
  /** `http://127.0.0.1:3000` */
  address: string;
  /** `PGlite in data`, `PostgreSQL 15.20` */
  storeLabel: string;
  /** Where `/metrics` is; undefined when nobody asked for it. */
  metricsAddress: string | undefined;
  /** Graceful shutdown: claims no more work, finishes what runs, releases what takes too long, closes the store (D-71). */
  close(): Promise<void>;
}

/** How long requests are still taken while deliveries finish, so that whoever asks `/readyz` learns to send no more. */
const leaveMs = 5_000;
/** Time for requests under way to be answered; a suggestion search, the longest, takes 5 s. */
const drainMs = 8_000;

/** How long the start waits to hear other processes: it can serve without. */
const listenMs = 5_000;

const ownSettings = { host: "HOST", port: "PORT" };

/** D-54, D-55 */
const proxiesNotTrusted =
  "OFFERS_PUBLIC_ORIGIN is set and OFFERS_TRUSTED_PROXIES is 0: behind a proxy all callers share the proxy's address, and " +
  "one limit for wrong keys and passwords; set OFFERS_TRUSTED_PROXIES to the number of proxies";

/** Opens the store, the loops over it and last the door. A failure closes again what was open. */
export async function startPlatform(settings: Settings, log: Logger, now = () => new Date()): Promise<Platform> {
  const resources: (() => Promise<unknown>)[] = [];
  const running: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  let closeDoor = async (): Promise<void> => undefined;
  const closeAll = async (): Promise<void> => {
    const stopped = Promise.allSettled(running.map((stop) => stop()));
    await Promise.race([stopped, setTimeout(leaveMs, undefined, { ref: false })]);
    await Promise.allSettled([stopped, closeDoor()]);
    for (const close of resources.reverse()) await close();
  };
  const onError = (error: unknown): void => log.error(errorFields(error), "background.error");
  try {
    const { dataFolder, databaseUrl, allowLoopback, retrySchedule, bodyLimitBytes } = settings;
    const seed = settings.seedFile === undefined ? undefined : await readSeedFile(settings.seedFile);
    await checkPlace({ ...settings, settings: ownSettings });
    if (settings.metrics !== undefined) await checkPlace({ ...settings.metrics, settings: metricsSettings });
    if (databaseUrl !== undefined) await checkDatabase(databaseUrl);
    if (databaseUrl === undefined || settings.encryptionKey === undefined) await makeDataFolder(dataFolder);
    const store = await openStore({ dataFolder, onError, ...(databaseUrl !== undefined && { databaseUrl }) });
    resources.push(() => store.close());
    const signals = openSignals(store, { onError });
    resources.push(() => signals.stop());
    const key = await openEncryptionKey(store, dataFolder, settings.encryptionKey);
    if (seed !== undefined) await applySeed(store, seed);
    const leases = await openLeases(store.background, { onError });
    resources.push(() => leases.stop());
    const outbound = createOutbound({ allowLoopback });
    resources.push(() => outbound.close());

    const sign = createSigner(now);
    const context = { store, outbound, sign, encryptionKey: key, onError, now };
    const transport = await openPushTransport(store, settings.fcmCredentials, now);
    resources.push(async () => transport.close?.());
    const operations = await startOperations({ store: store.background, leases, settings, onError, now });
    resources.push(operations.close);
    const onAttempt = (record: AttemptRecord): void => {
      log.info(record, "delivery.attempted");
      operations.metrics.onAttempt(record);
      signals.publish({ topic: "delivery", organisationId: record.organisationId });
    };
    const feed = openNotificationFeed(store, { signals, onError });
    const live = openLiveTopics(signals, settings);
    const onEndpoint = (record: EndpointRecord): void => {
      log.warn(record, "endpoint.changed");
      const { organisationId, change } = record;
      signals.publish({ topic: "endpoint", organisationId });
      if (change === "disabled") signals.publish({ topic: "mail", organisationId });
    };
    const delivery = startDelivery({
      ...context,
      store: store.background,
      leases,
      retrySchedule,
      onAttempt,
      onEndpoint,
    });
    const push = startPush({ store: store.background, leases, transport, onError });
    signals.subscribe((heard) => {
      const topic = heard === "everything" ? undefined : heard.topic;
      if (topic === undefined || topic === "delivery" || topic === "endpoint") delivery.wake();
      if (topic === undefined || topic === "notification") push.wake();
      if (topic === undefined || topic === "mail") operations.wake();
    });
    running.push(feed.stop, delivery.stop, push.stop, operations.stop);

    const streams = new EventStreams();
    const app = createApp({
      ...context,
      signals,
      feed,
      live,
      streams,
      log,
      dialect: dialects[settings.dialect],
      readJson: jsonReader(bodyLimitBytes),
      readForm: formReader(bodyLimitBytes),
      publicOrigin: settings.publicOrigin,
      cookies: { isSecure: settings.publicOrigin?.startsWith("https:") ?? false, password: cookiePassword(key) },
      checkPassword: passwordCheck(now),
      rateLimits: rateLimits(settings.rateLimit),
      personLimits: personLimits(settings.personRateLimit),
      trustedProxies: settings.trustedProxies,
      onRequest: operations.metrics.onRequest,
      showAllMail: settings.showAllMail,
      isReady: async () => closing === undefined && (await pingDatabase(store)),
    });
    // What changes before would be told to pages as something that they may have missed.
    await Promise.race([signals.ready, setTimeout(listenMs, undefined, { ref: false })]);
    const server = createServer({ requestTimeout: 30_000 }, app);
    await listen(server, { ...settings, settings: ownSettings });
    closeDoor = async () => {
      await closeServer(server, streams);
      live.stop();
    };
    if (settings.publicOrigin !== undefined && settings.trustedProxies === 0)
      log.warn({ code: "proxies_not_trusted" }, proxiesNotTrusted);
    return {
      address: addressOf(server),
      storeLabel: store.label,
      metricsAddress: operations.metricsAddress,
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function closeServer(server: Server, streams: EventStreams): Promise<void> {
  const closed = once(server, "close");
  server.close();
  streams.end();
  // A connection that is kept alive after its last answer is idle only now.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await Promise.race([closed, setTimeout(drainMs, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
  await closed;
}
