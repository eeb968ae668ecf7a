import type { Logger } from "pino";
import type { EventStreams } from "./http/event-streams.ts";
import { mailboxTransport, startMail } from "./mail/start-mail.ts";
import { createMetrics, type Metrics, serveMetrics } from "./observability/metrics.ts";
import { runLoop } from "./outbox/timers.ts";
import { inboxTransport, type PushTransport } from "./push/push-transport.ts";
import { startPush } from "./push/start-push.ts";
import { purgeExpired } from "./retention.ts";
import { readFcmCredentials } from "./settings/fcm-credentials.ts";
import type { Settings } from "./settings/settings.ts";
import type { Signals } from "./store/signals.ts";
import { startRedeliveries } from "./webhooks/redelivery-tasks.ts";
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

/** Webhooks, pushes, mail, retention and metrics. */
export interface Background {
  onRequest: Metrics["onRequest"];
  /** Call it after a commit that started a redelivery. */
  wakeRedeliveries(): void;
  /** Undefined when metrics are not served. */
  metricsAddress: string | undefined;
  /** Starts no more work and finishes the current work. */
  stop(): Promise<unknown>;
  /** Call it after the last request: until then metrics are served. */
  close(): Promise<unknown>;
}

/**
 * The pauses of retention: a fixed one when nothing has expired, otherwise nine times as long as the batch took, so that retention does
 * not slow down requests.
 */
const retentionPause = { idleMs: 10 * 60_000, timesAsLong: 9 };

export async function startBackground(options: BackgroundOptions): Promise<Background> {
  const { settings, store, leases, signals, streams, log, onError, now } = options;
  const { smtp } = settings;
  const pushTransport = await openPushTransport(options);
  // Loads nodemailer only when it is used.
  const mailTransport = smtp ? (await import("./mail/smtp-transport.ts")).smtpTransport(smtp) : mailboxTransport;
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
  const push = startPush({ store, leases, signals, transport: pushTransport, onError });
  const mail = startMail({ store, leases, signals, transport: mailTransport, onError });
  const keepTidy = async (): Promise<number> => {
    const startedAt = performance.now();
    const hasMore = await purgeExpired(store, now(), settings.retention, onError);
    return hasMore ? retentionPause.timesAsLong * (performance.now() - startedAt) : retentionPause.idleMs;
  };
  const retention = runLoop(keepTidy, onError);
  const redeliveries = startRedeliveries(store, onError);
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

/** Only the worker app's inbox, or Firebase Cloud Messaging when there are credentials (D-79). Its package is loaded only then. */
async function openPushTransport({ settings, store, now }: BackgroundOptions): Promise<PushTransport> {
  if (settings.fcmCredentials === undefined) return inboxTransport;
  const credentials = await readFcmCredentials(settings.fcmCredentials);
  const { fcmTransport, forgetToken } = await import("./push/fcm-transport.ts");
  return fcmTransport({ credentials, now, onUnregistered: (device) => forgetToken(store, device) });
}
