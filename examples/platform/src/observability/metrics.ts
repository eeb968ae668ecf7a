import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AttemptRecord } from "../dispatch/webhooks/settle-attempts.ts";
import type { CompletedRequest } from "../http/observe-requests.ts";
import type { Store } from "../store/store.ts";
import { type Backlog, readBacklog } from "./read-backlog.ts";

/** Metrics of one process. No label identifies an organisation or a person. */
export interface Metrics {
  onAttempt(record: AttemptRecord): void;
  onRequest(request: CompletedRequest): void;
  /** In the Prometheus text format. */
  read(): Promise<{ contentType: string; text: string }>;
  stop(): void;
}

/** Scrapes within this time share one read of the store. */
const keepMs = 1_000;
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** @param store source of the backlog, which is the same in every process */
export function createMetrics(store: Store, now: () => Date): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `offers_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name: `offers_${name}`, help, labelNames, buckets: seconds, registers });
  const attempts = new Counter({
    name: "offers_delivery_attempts_total",
    help: "Delivery attempts by outcome and failure code",
    labelNames: ["outcome", "failure"],
    registers,
  });
  const attemptSeconds = histogram("delivery_attempt_duration_seconds", "Duration of delivery attempts", ["outcome"]);
  const requestHelp = "Duration of HTTP requests by route template";
  const requestSeconds = histogram("http_request_duration_seconds", requestHelp, ["method", "route", "status"]);
  const storeUp = gauge("store_up", "Whether the database responded to this scrape");
  const deliveries = gauge("deliveries", "Unacknowledged deliveries by state", ["state"]);
  const gauges = {
    lagSeconds: gauge("delivery_lag_seconds", "How long the oldest attemptable delivery has been due"),
    openBreakers: gauge("breakers_open", "Endpoints whose circuit breaker is open"),
    disabledEndpoints: gauge("endpoints_disabled", "Disabled endpoints, whose events are held"),
    unsentNotifications: gauge("notifications_unsent", "Notifications waiting to be pushed"),
    unsentMails: gauge("mails_unsent", "Mails waiting to be sent"),
  };
  const loopDelay = monitorEventLoopDelay({ resolution: 20 });
  loopDelay.enable();
  const loopLag = gauge("event_loop_lag_seconds", "Delay of the event loop since the last scrape", ["quantile"]);

  const show = (backlog: Backlog): void => {
    storeUp.set(1);
    for (const [state, count] of Object.entries(backlog.deliveries)) deliveries.set({ state }, count);
    for (const [name, each] of Object.entries(gauges)) each.set(backlog[name as keyof typeof gauges]);
  };
  /** Removes the gauges, so that a scrape does not show outdated values. */
  const hide = (): void => {
    storeUp.set(0);
    deliveries.reset();
    for (const each of Object.values(gauges)) each.remove();
  };

  let shown: Promise<void> | undefined;
  let readAtMs = 0;
  const refresh = (): Promise<void> => {
    if (shown === undefined || performance.now() - readAtMs >= keepMs) {
      readAtMs = performance.now();
      shown = readBacklog(store, now()).then(show, hide);
    }
    return shown;
  };

  return {
    onAttempt({ outcome, failure = "none", durationMs }) {
      attempts.inc({ outcome, failure });
      attemptSeconds.observe({ outcome }, durationMs / 1_000);
    },
    onRequest({ method, route, status, ms }) {
      requestSeconds.observe({ method, route, status: String(status ?? "aborted") }, ms / 1_000);
    },
    async read() {
      await refresh();
      for (const quantile of [50, 99])
        loopLag.set({ quantile: String(quantile / 100) }, loopDelay.percentile(quantile) / 1e9);
      loopDelay.reset();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    stop: () => void loopDelay.disable(),
  };
}
