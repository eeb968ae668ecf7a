import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { passwordCheck } from "./accounts/check-password.ts";
import { personLimits } from "./accounts/person-limits.ts";
import { rateLimits } from "./accounts/rate-limits.ts";
import { createApp } from "./create-app.ts";
import { createOutbound } from "./dispatch/outbound/create-outbound.ts";
import { createSigner } from "./dispatch/outbound/send-signed.ts";
import { openLeases } from "./dispatch/outbox/leases.ts";
import { openNotificationFeed } from "./dispatch/push/notification-feed.ts";
import { EventStreams } from "./http/event-streams.ts";
import { jsonReader } from "./http/read-json.ts";
import { errorFields } from "./observability/error-fields.ts";
import { pingDatabase } from "./observability/ping-database.ts";
import { openLiveTopics } from "./pages/live/live-topics.ts";
import { formReader } from "./pages/routing/read-form.ts";
import { cookiePassword } from "./pages/security/page-session.ts";
import { preflight } from "./preflight.ts";
import { dialects } from "./routes/api/dialect.ts";
import { applySeed } from "./seed/apply-seed.ts";
import { serve } from "./settings/serve.ts";
import type { Settings } from "./settings/settings.ts";
import { startBackground } from "./start-background.ts";
import { openEncryptionKey } from "./store/encryption-key.ts";
import { openStore } from "./store/open-store.ts";
import { openSignals } from "./store/signals.ts";

export interface Platform {
  /** `http://127.0.0.1:3000` */
  address: string;
  /** `PGlite in data`, `PostgreSQL 15.20` */
  storeLabel: string;
  /** Undefined when metrics are not served. */
  metricsAddress: string | undefined;
  /** Graceful shutdown: claims no more work, finishes what runs, releases what takes too long, closes the store (D-71). */
  close(): Promise<void>;
}

/** How long requests are still accepted while deliveries finish, so that load balancers see `/readyz` fail first. */
const leaveMs = 5_000;
/** How long open requests may take then. The longest, a search for suggestions, takes 5 s. */
const drainMs = 8_000;
/** How long the start waits for the signals of other processes. */
const listenMs = 5_000;

/** D-54, D-55 */
const proxiesNotTrusted =
  "OFFERS_PUBLIC_ORIGIN is set and OFFERS_TRUSTED_PROXIES is 0: behind a proxy all callers share the proxy's address, and " +
  "one limit for wrong keys and passwords; set OFFERS_TRUSTED_PROXIES to the number of proxies";

/** Opens the store, starts the background work, and serves last. If a part fails to start, closes those before it. */
export async function startPlatform(settings: Settings, log: Logger, now = () => new Date()): Promise<Platform> {
  const loops: (() => Promise<unknown>)[] = [];
  const resources: (() => Promise<unknown>)[] = [];
  let closeServer = async (): Promise<void> => undefined;
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const stopped = Promise.allSettled(loops.map((stop) => stop()));
    await Promise.race([stopped, setTimeout(leaveMs, undefined, { ref: false })]);
    await Promise.allSettled([stopped, closeServer()]);
    for (const close of resources.reverse()) await close();
  };
  const onError = (error: unknown): void => log.error(errorFields(error), "background.error");
  try {
    const { dataFolder, databaseUrl, publicOrigin, bodyLimitBytes } = settings;
    const seed = await preflight(settings);
    const store = await openStore({ dataFolder, onError, ...(databaseUrl !== undefined && { databaseUrl }) });
    resources.push(() => store.close());
    const signals = openSignals(store, { onError });
    resources.push(() => signals.stop());
    const encryptionKey = await openEncryptionKey(store, dataFolder, settings.encryptionKey);
    if (seed !== undefined) await applySeed(store, seed);
    const leases = await openLeases(store.background, { onError });
    resources.push(() => leases.stop());
    const outbound = createOutbound({ allowLoopback: settings.allowLoopback });
    resources.push(() => outbound.close());
    const context = { outbound, sign: createSigner(now), encryptionKey, signals, log, onError, now };
    const background = await startBackground({ ...context, store: store.background, leases, settings });
    resources.push(background.close);
    const feed = openNotificationFeed(store, context);
    loops.push(background.stop, feed.stop);

    const streams = new EventStreams();
    // Without a setting, the address at which it serves.
    let origin = publicOrigin;
    const linkTo = (path: string): string => `${origin ?? ""}${path}`;
    const live = openLiveTopics(signals, settings);
    const app = createApp({
      ...context,
      store,
      feed,
      live,
      streams,
      publicOrigin,
      allowedHosts: settings.allowedHosts,
      linkTo,
      dialect: dialects[settings.dialect],
      readJson: jsonReader(bodyLimitBytes),
      readForm: formReader(bodyLimitBytes),
      cookies: { isSecure: publicOrigin?.startsWith("https:") ?? false, password: cookiePassword(encryptionKey) },
      checkPassword: passwordCheck(),
      rateLimits: rateLimits(settings.rateLimit),
      personLimits: personLimits(settings.personRateLimit),
      trustedProxies: settings.trustedProxies,
      showAllMail: settings.showAllMail,
      onRequest: background.onRequest,
      isReady: async () => closing === undefined && (await pingDatabase(store)),
    });
    // Pages that connect before would reload everything when it is ready.
    await Promise.race([signals.ready, setTimeout(listenMs, undefined, { ref: false })]);
    const server = await serve("platform", settings, app);
    origin ??= server.address;
    closeServer = async () => {
      const closed = server.close(drainMs);
      streams.end();
      await closed;
      live.stop();
    };
    if (publicOrigin !== undefined && settings.trustedProxies === 0)
      log.warn({ code: "proxies_not_trusted" }, proxiesNotTrusted);
    return {
      address: server.address,
      storeLabel: store.label,
      metricsAddress: background.metricsAddress,
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
