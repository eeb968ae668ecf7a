import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CompletedRequest } from "../http/observe-requests.ts";
import { withTimeout } from "../outbox/timers.ts";
import { type Address, type HttpServer, startHttpServer } from "../settings/serve.ts";
import type { Store } from "../store/store.ts";
import { type ShownState, shownState } from "../webhooks/disabled-endpoint.ts";
import type { AttemptRecord } from "../webhooks/settle-attempts.ts";

/** The metrics of one process. No label identifies an organisation or a person. */
export interface Metrics {
  onAttempt(record: AttemptRecord): void;
  onRequest(request: CompletedRequest): void;
  /** Returns the metrics in the Prometheus text format. */
  read(): Promise<{ contentType: string; text: string }>;
  stop(): void;
}

/** How long scrapes share one read of the store. */
const cacheMs = 1_000;
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/**
 * Creates this process's metrics.
 *
 * @param store the store to read the backlog from; all processes report the same backlog
 * @param countStreams returns the number of event streams that are open in this process
 */
export function createMetrics(store: Store, now: () => Date, countStreams = () => 0): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const createGauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `offers_${name}`, help, labelNames, registers });
  const createHistogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name: `offers_${name}`, help, labelNames, buckets: durationBuckets, registers });
  const attempts = new Counter({
    name: "offers_delivery_attempts_total",
    help: "Delivery attempts by outcome and failure code",
    labelNames: ["outcome", "failure"],
    registers,
  });
  const attemptSeconds = createHistogram("delivery_attempt_duration_seconds", "Duration of delivery attempts", [
    "outcome",
  ]);
  const requestHelp = "Duration of HTTP requests by route template";
  const requestSeconds = createHistogram("http_request_duration_seconds", requestHelp, ["method", "route", "status"]);
  const storeUp = createGauge("store_up", "Whether the database responded to this scrape");
  const deliveries = createGauge("deliveries", "Pending, held and failed deliveries by state", ["state"]);
  const gauges = {
    lagSeconds: createGauge("delivery_lag_seconds", "How long the oldest delivery that can be attempted has been due"),
    openBreakers: createGauge("breakers_open", "Endpoints whose circuit breaker is open"),
    disabledEndpoints: createGauge("endpoints_disabled", "Disabled endpoints, whose events are held"),
    unsentNotifications: createGauge("notifications_unsent", "Notifications waiting to be pushed"),
    unsentMails: createGauge("mails_unsent", "Emails waiting to be sent"),
    oldestSnapshotSeconds: createGauge(
      "oldest_snapshot_seconds",
      "How long the oldest transaction has kept dead rows from being removed",
    ),
  };
  const loopDelay = monitorEventLoopDelay({ resolution: 20 });
  loopDelay.enable();
  const loopLag = createGauge("event_loop_lag_seconds", "Delay of the event loop since the last scrape", ["quantile"]);

  const openStreams = createGauge("event_streams_open", "Open event streams to pages and apps");

  const setGauges = (backlog: Backlog): void => {
    storeUp.set(1);
    for (const [state, count] of Object.entries(backlog.deliveries)) deliveries.set({ state }, count);
    for (const [name, metric] of Object.entries(gauges)) metric.set(backlog[name as keyof typeof gauges]);
  };
  /** Resets the gauges, so that a scrape does not show outdated values. */
  const resetGauges = (): void => {
    storeUp.set(0);
    deliveries.reset();
    for (const metric of Object.values(gauges)) metric.remove();
  };

  let refreshing: Promise<void> | undefined;
  let readAtMs = 0;
  const refresh = (): Promise<void> => {
    if (refreshing === undefined || performance.now() - readAtMs >= cacheMs) {
      readAtMs = performance.now();
      refreshing = readBacklog(store, now()).then(setGauges, resetGauges);
    }
    return refreshing;
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
      openStreams.set(countStreams());
      for (const quantile of [50, 99])
        loopLag.set({ quantile: String(quantile / 100) }, loopDelay.percentile(quantile) / 1e9);
      loopDelay.reset();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    stop: () => void loopDelay.disable(),
  };
}

/** Work that is waiting, across all processes. */
interface Backlog {
  deliveries: Record<Exclude<ShownState, "acknowledged" | "not_implemented">, number>;
  /** How long the oldest delivery that can be attempted has been due; 0 if nothing is due. */
  lagSeconds: number;
  openBreakers: number;
  disabledEndpoints: number;
  unsentNotifications: number;
  unsentMails: number;
  /**
   * The age of the oldest snapshot. Every claim scans the rows that were deleted after it was taken. Snapshots of other database users
   * are visible only with the role `pg_read_all_stats`.
   */
  oldestSnapshotSeconds: number;
}

const readLimitMs = 2_000;

/** Reads the backlog. Rejects after two seconds. Thanks to partial indexes, the cost is proportional to the backlog. */
export async function readBacklog(store: Store, now: Date): Promise<Backlog> {
  const [totals, states] = await withTimeout(
    Promise.all([readTotals(store, now), countDeliveriesByState(store)]),
    readLimitMs,
  );
  return { deliveries: { pending: 0, held: 0, dead: 0, ...Object.fromEntries(states) }, ...totals };
}

async function readTotals({ db }: Store, now: Date): Promise<Omit<Backlog, "deliveries">> {
  const { rows } = await sql<Omit<Backlog, "deliveries">>`select
    (select count(*) from endpoints where breaker_open_until > ${now}) as "openBreakers",
    (select count(*) from endpoints where disabled_at is not null) as "disabledEndpoints",
    (select count(*) from notifications where due_at is not null) as "unsentNotifications",
    (select count(*) from mails where due_at is not null) as "unsentMails",
    (select coalesce(floor(extract(epoch from clock_timestamp() - min(xact_start))), 0)::float8 from pg_stat_activity
      where backend_xmin is not null and datname = current_database() and pid <> pg_backend_pid()
    ) as "oldestSnapshotSeconds",
    coalesce((
      select extract(epoch from ${now}::timestamptz - due_at)::float8
      from deliveries join endpoints using (organisation_id)
      where due_at <= ${now} and disabled_at is null and (breaker_open_until <= ${now}) is not false
      order by due_at limit 1
    ), 0) as "lagSeconds"`.execute(db);
  const [totals] = rows;
  if (totals === undefined) throw new Error("the query for the backlog returned no row");
  return totals;
}

async function countDeliveriesByState({ db }: Store): Promise<[ShownState, number][]> {
  const rows = await db
    .selectFrom("deliveries")
    .select(({ fn }) => [shownState.as("state"), fn.countAll<number>().as("count")])
    .where("state", "not in", [sql.lit("acknowledged" as const), sql.lit("not_implemented" as const)])
    .groupBy(shownState)
    .execute();
  return rows.map(({ state, count }) => [state, count]);
}

/**
 * Serves `GET /metrics` on a separate address, because a proxy may expose the platform's own port.
 *
 * @throws {SettingError} if the port is in use
 */
export const serveMetrics = (metrics: Metrics, address: Address): Promise<HttpServer> =>
  startHttpServer("metrics", address, async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    const { contentType, text } = await metrics.read();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  });
