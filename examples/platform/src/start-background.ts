import type { Logger } from "pino";
import type { EventStreams } from "./http/event-streams.ts";
import { mailboxTransport, startMail } from "./mail/start-mail.ts";
import { createMetrics, type Metrics, serveMetrics } from "./observability/metrics.ts";
import { runLoop } from "./outbox/timers.ts";
import { menuOnlyTransport, type PushTransport } from "./push/push-transport.ts";
import { type PushRecord, startPush } from "./push/start-push.ts";
import { purgeExpired } from "./retention.ts";
import { readFcmCredentials } from "./settings/fcm-credentials.ts";
import type { Settings } from "./settings/settings.ts";
import type { Signals } from "./store/signals.ts";
import { startRedeliveryLoop } from "./webhooks/redelivery-tasks.ts";
import { type DeliveryOptions, startDelivery } from "./webhooks/start-delivery.ts";

export interface BackgroundOptions
  extends Required<
    Pick<DeliveryOptions, "store" | "leases" | "endpointClient" | "sign" | "encryptionKey" | "now" | "linkTo">
  > {
  settings: Settings;
  signals: Signals;
  streams: EventStreams;
  log: Logger;
  onError: (error: unknown) => void;
}

/** The running background work: webhooks, pushes, emails, retention and metrics. */
export interface Background {
  onRequest: Metrics["onRequest"];
  /** Call it after a commit that starts a redelivery. */
  wakeRedeliveries(): void;
  /** The URL of the metrics server; undefined if metrics are not served. */
  metricsAddress: string | undefined;
  /** Stops starting new work, and waits for the current work to finish. */
  stop(): Promise<unknown>;
  /** Stops serving metrics. Call it after the last request. */
  close(): Promise<unknown>;
}

/**
 * How long retention pauses after a batch: `idleMs` if no expired data remains, otherwise a multiple of the time that the batch took,
 * so that retention does not slow down requests.
 */
const retentionPause = { idleMs: 10 * 60_000, multiple: 9 };

/** Starts all background work. */
export async function startBackground(options: BackgroundOptions): Promise<Background> {
  const { settings, store, leases, signals, streams, log, onError, now } = options;
  const { smtp } = settings;
  const pushTransport = await openPushTransport(options);
  // Load nodemailer only if it is used.
  const mailTransport = smtp ? (await import("./mail/smtp-transport.ts")).createSmtpTransport(smtp) : mailboxTransport;
  const metrics = createMetrics(store, now, () => streams.count);
  const metricsServer = settings.metrics && (await serveMetrics(metrics, settings.metrics));

  const delivery = startDelivery({
    ...options,
    retrySchedule: settings.retrySchedule,
    onAttempt(record) {
      log.info(record, "delivery.attempted");
      metrics.onAttempt(record);
    },
    onEndpoint(record) {
      log.warn(record, "endpoint.changed");
    },
  });
  const logPush = (record: PushRecord): void => log.info(record, "push.attempted");
  const push = startPush({ store, leases, signals, transport: pushTransport, onError, onAttempt: logPush });
  const mail = startMail({ store, leases, signals, transport: mailTransport, onError });
  /** @returns how long to pause before the next batch, in milliseconds */
  const runRetention = async (): Promise<number> => {
    const startedAt = performance.now();
    const hasMore = await purgeExpired(store, now(), settings.retention, onError);
    return hasMore ? retentionPause.multiple * (performance.now() - startedAt) : retentionPause.idleMs;
  };
  const retention = runLoop(runRetention, onError);
  const redeliveries = startRedeliveryLoop(store, onError);
  return {
    onRequest: metrics.onRequest,
    wakeRedeliveries: redeliveries.wake,
    metricsAddress: metricsServer?.address,
    stop: () => Promise.all([delivery, push, mail, retention, redeliveries].map((loop) => loop.stop())),
    close() {
      metrics.stop();
      return Promise.all([metricsServer?.close(), mailTransport.close?.(), pushTransport.close?.()]);
    },
  };
}

/**
 * Creates the transport for Firebase Cloud Messaging if there are credentials, and loads its package only then (D-79). Otherwise
 * returns a transport that does not send pushes.
 */
async function openPushTransport({ settings, store, now }: BackgroundOptions): Promise<PushTransport> {
  if (settings.fcmCredentials === undefined) return menuOnlyTransport;
  const credentials = await readFcmCredentials(settings.fcmCredentials);
  const { createFcmTransport, removeToken } = await import("./push/fcm-transport.ts");
  return createFcmTransport({ credentials, now, onUnregistered: (device) => removeToken(store, device) });
}
