import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AttemptRecord } from "../delivery/attempt-record.ts";
import type { AnsweredRequest } from "../http/observe-requests.ts";
import type { Store } from "../store/store.ts";
import { type Backlog, readBacklog } from "./read-backlog.ts";

/** What one platform counts and measures. No label names an organisation or a person. */
export interface Metrics {
  onAttempt(record: AttemptRecord): void;
  onRequest(request: AnsweredRequest): void;
  /** In the text format of Prometheus. */
  read(): Promise<{ contentType: string; text: string }>;
  stop(): void;
}

/** A scrape reads the store at most so often, however many ask. */
const keepMs = 1_000;
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** @param store asked for the backlog at each scrape, so that it does not matter which process is asked */
export function createMetrics(store: Store, now: () => Date): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `offers_${name}`, help, labelNames, registers });
  const attempts = new Counter({
    name: "offers_delivery_attempts_total",
    help: "Attempts at deliveries by outcome, and by the code of their failure",
    labelNames: ["outcome", "failure"],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: "offers_delivery_attempt_duration_seconds",
    help: "How long attempts took",
    labelNames: ["outcome"],
    buckets: seconds,
    registers,
  });
  const requestSeconds = new Histogram({
    name: "offers_http_request_duration_seconds",
    help: "How long requests took, by the template of their route",
    labelNames: ["method", "route", "status"],
    buckets: seconds,
    registers,
  });
  const storeUp = gauge("store_up", "Whether the store answered this scrape");
  const deliveries = gauge("deliveries", "Deliveries that are not acknowledged, by state", ["state"]);
  const gauges = {
    lagSeconds: gauge("delivery_lag_seconds", "How long the oldest delivery that could be attempted has been due"),
    openBreakers: gauge("breakers_open", "Endpoints at which nothing is attempted for now"),
    disabledEndpoints: gauge("endpoints_disabled", "Endpoints whose events are held"),
    unsentNotifications: gauge("notifications_unsent", "Notifications that wait for the push transport"),
    unsentMails: gauge("mails_unsent", "Mails that wait for the mail transport"),
  };
  const loopDelay = monitorEventLoopDelay({ resolution: 20 });
  loopDelay.enable();
  const loopLag = gauge("event_loop_lag_seconds", "Delay of the event loop since the last scrape", ["quantile"]);

  const show = (backlog: Backlog): void => {
    storeUp.set(1);
    for (const [state, count] of Object.entries(backlog.deliveries)) deliveries.set({ state }, count);
    for (const [name, each] of Object.entries(gauges)) each.set(backlog[name as keyof typeof gauges]);
  };
  /** An old number would pass for a new one. */
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
