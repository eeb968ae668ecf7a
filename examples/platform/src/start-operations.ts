import { mailboxTransport } from "./mail/mail-transport.ts";
import { startMail } from "./mail/start-mail.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { serveMetrics } from "./metrics/serve-metrics.ts";
import type { Leases } from "./outbox/leases.ts";
import { runLoop } from "./outbox/run-loop.ts";
import { purgeExpired } from "./retention/purge-expired.ts";
import type { Settings } from "./settings.ts";
import type { Store } from "./store/store.ts";

export interface OperationsOptions {
  store: Store;
  leases: Leases;
  settings: Pick<Settings, "metrics" | "retention" | "smtp">;
  onError: (error: unknown) => void;
  now: () => Date;
}

/** Mail, retention and metrics. */
export interface Operations {
  metrics: Metrics;
  /** Call it after a commit that wrote mail. */
  wake(): void;
  /** Undefined when metrics are not served. */
  metricsAddress: string | undefined;
  /** Starts no more work and finishes the current work. */
  stop(): Promise<void>;
  /** Call it after the last request: until then metrics are served and the mail transport is open. */
  close(): Promise<void>;
}

const retentionIdleMs = 10 * 60_000;

export async function startOperations({
  store,
  leases,
  settings,
  onError,
  now,
}: OperationsOptions): Promise<Operations> {
  // Loads nodemailer only when it is used.
  const transport = settings.smtp
    ? (await import("./mail/smtp-transport.ts")).smtpTransport(settings.smtp)
    : mailboxTransport;
  const metrics = createMetrics(store, now);
  const server = settings.metrics && (await serveMetrics(metrics, settings.metrics));
  const mail = startMail({ store, leases, transport, onError });
  const retainBatch = async (): Promise<number> =>
    (await purgeExpired(store, now(), settings.retention, onError)) ? 0 : retentionIdleMs;
  const retention = runLoop(retainBatch, onError);
  return {
    metrics,
    wake: mail.wake,
    metricsAddress: server?.address,
    async stop() {
      await Promise.all([mail.stop(), retention.stop()]);
    },
    async close() {
      metrics.stop();
      await Promise.all([server?.close(), transport.close?.()]);
    },
  };
}
