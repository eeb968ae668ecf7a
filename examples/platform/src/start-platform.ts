import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createScryptPasswords, limitPasswords } from "./accounts/passwords.ts";
import { createPersonLimits, createRateLimits, limitInStore } from "./accounts/rate-limits.ts";
import { createApp } from "./create-app.ts";
import { createEndpointClient } from "./endpoint-client/create-endpoint-client.ts";
import { createSigner } from "./endpoint-client/send-signed.ts";
import { EventStreams } from "./http/event-streams.ts";
import { createJsonReader } from "./http/read-body.ts";
import { pingDatabase } from "./observability/health.ts";
import { errorFields } from "./observability/log.ts";
import { openLeases } from "./outbox/leases.ts";
import { openNotificationFeed } from "./push/notification-feed.ts";
import { dialects } from "./routes/api/dialect.ts";
import { openLiveTopics } from "./routes/pages/live/live-topics.ts";
import { createFormReader } from "./routes/pages/routing/read-form.ts";
import { applySeed } from "./seed/apply-seed.ts";
import { isDemoSeed } from "./seed/demo-sign-ins.ts";
import { readSeedFile } from "./seed/seed-file.ts";
import type { Seed } from "./seed/seed-schema.ts";
import { checkDatabase, databaseError } from "./settings/check-database.ts";
import { makeDataFolder } from "./settings/make-data-folder.ts";
import { checkAddress, startHttpServer } from "./settings/serve.ts";
import { SettingError } from "./settings/setting-error.ts";
import type { Settings } from "./settings/settings.ts";
import { startBackground } from "./start-background.ts";
import { openEncryptionKey } from "./store/encryption-key.ts";
import { openStore } from "./store/open-store.ts";
import { openSignals } from "./store/signals.ts";
import { StoreError } from "./store/store.ts";

export interface Platform {
  /** The platform's URL, such as `http://127.0.0.1:3000`. */
  address: string;
  /** The store's label, such as `PGlite in data` or `PostgreSQL 15.20`. */
  storeLabel: string;
  /** The URL of the metrics server; undefined if metrics are not served. */
  metricsAddress: string | undefined;
  /** Performs a graceful shutdown (D-71): stops claiming work, finishes current work in time or releases it, and closes the store. */
  close(): Promise<void>;
}

/** How long requests are still accepted after a shutdown starts, so that load balancers see `/readyz` fail first. */
const unreadyMs = 5_000;
/** How long open requests may take after that. The longest request, a search for suggestions, takes 5 s. */
const drainMs = 8_000;
/** How long startup waits for the connection that receives signals from other processes. */
const maxSignalWaitMs = 5_000;

/** The warning about rate limits, which depend on the caller's address (D-54, D-55). */
const proxiesNotTrusted =
  "OFFERS_PUBLIC_ORIGIN is set but OFFERS_TRUSTED_PROXIES is 0: behind a proxy, all callers share the proxy's address and " +
  "therefore one limit for invalid keys, passwords and sign-ins; set OFFERS_TRUSTED_PROXIES to the number of proxies";

/** Opens the store, starts the background work, and then accepts requests. If startup fails, closes everything it has opened. */
export async function startPlatform(
  settings: Settings,
  log: Logger,
  now = () => new Date(),
  passwords = createScryptPasswords(),
): Promise<Platform> {
  const loops: (() => Promise<unknown>)[] = [];
  const resources: (() => Promise<unknown>)[] = [];
  let closeServer = async (): Promise<void> => undefined;
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const loopsStopped = Promise.allSettled(loops.map((stop) => stop()));
    await Promise.race([loopsStopped, delay(unreadyMs, undefined, { ref: false })]);
    await Promise.allSettled([loopsStopped, closeServer()]);
    // Close the newest resource first, because later resources use earlier ones.
    for (const close of resources.reverse()) await close();
  };
  const onError = (error: unknown): void => log.error(errorFields(error), "background.error");
  try {
    const { dataFolder, databaseUrl, listenUrl, publicOrigin, bodyLimitBytes } = settings;
    const seed = await preflight(settings);
    const store = await openStore({ dataFolder, onError, databaseUrl, listenUrl });
    resources.push(() => store.close());
    const signals = openSignals(store, { onError });
    resources.push(() => signals.stop());
    const encryptionKey = await openEncryptionKey(store, dataFolder, settings.encryptionKey);
    if (seed !== undefined) await applySeed(store, seed, passwords);
    const leases = await openLeases(store.background, { onError });
    resources.push(() => leases.stop());
    const endpointClient = createEndpointClient({ allowLoopback: settings.allowLoopback });
    resources.push(() => endpointClient.close());
    const context = { endpointClient, sign: createSigner(now), encryptionKey, signals, log, onError, now };
    const streams = new EventStreams();
    // If the public origin is not set, the platform's own URL is used.
    let origin = publicOrigin;
    const linkTo = (path: string): string => `${origin ?? ""}${path}`;
    const background = await startBackground({
      ...context,
      store: store.background,
      leases,
      streams,
      linkTo,
      settings,
    });
    resources.push(background.close);
    const feed = openNotificationFeed(store, context);
    loops.push(background.stop, feed.stop);

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
      readJson: createJsonReader({ limitBytes: bodyLimitBytes, inflate: true }),
      readForm: createFormReader(bodyLimitBytes),
      cookies: { isSecure: publicOrigin?.startsWith("https:") ?? false, encryptionKey },
      passwords: limitPasswords(passwords, limitInStore(store)),
      rateLimits: createRateLimits(store, settings.rateLimit),
      personLimits: createPersonLimits(settings.personRateLimit),
      trustedProxies: settings.trustedProxies,
      showAllMail: settings.showAllMail,
      demoKey: isDemoSeed(settings.seedFile) ? seed?.organisations[0]?.apiKeys[0]?.key : undefined,
      onRequest: background.onRequest,
      wakeRedeliveries: background.wakeRedeliveries,
      isReady: async () => closing === undefined && (await pingDatabase(store)),
    });
    // Wait until signals are ready. Pages that connect earlier would reload everything at that moment.
    await Promise.race([signals.ready, delay(maxSignalWaitMs, undefined, { ref: false })]);
    const server = await startHttpServer("platform", settings, app);
    origin ??= server.address;
    closeServer = async () => {
      const serverClosed = server.close(drainMs);
      streams.end();
      await serverClosed;
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

/**
 * Checks the files and servers that the settings refer to before anything is opened (D-90).
 *
 * @returns the content of the seed file; undefined if the settings contain no seed file
 * @throws {SettingError}
 */
async function preflight(settings: Settings): Promise<Seed | undefined> {
  const { seedFile, metrics, databaseUrl, listenUrl, encryptionKey, dataFolder } = settings;
  const seed = seedFile === undefined ? undefined : await readSeedFile(seedFile);
  await checkAddress("platform", settings);
  if (metrics !== undefined) await checkAddress("metrics", metrics);
  if (databaseUrl !== undefined) await checkDatabase(databaseUrl);
  if (listenUrl !== undefined) await checkDatabase(listenUrl, { setting: "DATABASE_LISTEN_URL" });
  // The data folder is needed unless the settings provide both a database and an encryption key.
  if (databaseUrl === undefined || encryptionKey === undefined) await makeDataFolder(dataFolder);
  return seed;
}

/** The time after which a shutdown is forced. D-71 allows 13 s for requests, so a longer shutdown is hanging. */
const shutdownLimitMs = 20_000;

/** Stops the platform gracefully on SIGTERM and SIGINT. */
export function stopOnSignals(platform: Pick<Platform, "close">, log: Logger): void {
  let isStopping = false;
  // A signal may arrive twice, because a terminal sends it to the whole process group and npm also forwards it.
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, "platform stopping");
    setTimeout(() => {
      log.error("platform did not stop in time");
      process.exit(1);
    }, shutdownLimitMs).unref();
    await platform.close();
    log.info("platform stopped");
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
}

/**
 * Matches error codes from the operating system and from PostgreSQL for failed connections: for example, the connection was refused,
 * the database does not exist, or the server is starting.
 */
const connectionCode = /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|E\w+UNREACH|EPIPE|08...|28...|3D000|42501|53300|57P0.)$/;

/**
 * Describes why the platform could not start. Returns one line with the reason, and the remedy if it is known. For a bug, returns the
 * error's fields and stack instead, without the message, which may contain secrets.
 */
export function describeStartFailure(
  error: unknown,
  databaseUrl: string | undefined,
): string | Record<string, unknown> {
  // The cause is more specific, for example that the connection was refused.
  if (error instanceof StoreError && error.code === "database_lost")
    return describeStartFailure(error.cause, databaseUrl);
  if (error instanceof SettingError || error instanceof StoreError) return error.message;
  if (!(error instanceof Error)) return errorFields(error);
  const { code, syscall, path, message }: NodeJS.ErrnoException = error;
  if (databaseUrl && connectionCode.test(code ?? "")) return databaseError(error, databaseUrl).message;
  // The message of a file system error already contains the path and the reason.
  if (syscall !== undefined && path !== undefined) return message;
  return errorFields(error);
}
