import { defaultRetrySchedule } from "../../src/delivery/attempt/retry-schedule.ts";
import { createLog } from "../../src/log/create-log.ts";
import { defaultRetention } from "../../src/retention/purge-expired.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { type Platform, startPlatform } from "../../src/start-platform.ts";
import { expectDocumented, type WireAnswer } from "../contract/openapi-validator.ts";
import type { StorePlace } from "./stores/stores.ts";
import { testSeed } from "./test-seed.ts";

export interface CallOptions {
  /** An organisation's API key. */
  key?: string;
  /** A bearer token of the portal or the worker's app. */
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array;
}

export interface Answer extends WireAnswer {
  /** The body, parsed. */
  json<T = unknown>(): T;
}

/** The whole platform in this process, seeded with the demo, on a port of its own. */
export interface PlatformUnderTest {
  address: string;
  /** Where `/metrics` is, when the settings say that it is. */
  metricsAddress: string | undefined;
  /** Everything it logged, one JSON text per line. */
  logLines: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  signInPerson(emailAddress: string): Promise<string>;
  signInWorker(workerId: string): Promise<string>;
  close(): Promise<void>;
}

/** Every answer there is has an id of its own, and may not be kept by anything on the way. */
function expectIdentified(method: string, path: string, { status, headers }: WireAnswer): void {
  if (/^[\da-f-]{36}$/.test(headers.get("x-request-id") ?? "") && headers.get("cache-control") === "no-store") return;
  throw new Error(`${method} ${path}: ${status} without an id, or without Cache-Control: no-store`);
}

const settingsFor = ({ options }: StorePlace, changes: Partial<Settings>): Settings => ({
  port: 0,
  host: "127.0.0.1",
  publicOrigin: undefined,
  dataFolder: options.dataFolder,
  databaseUrl: options.databaseUrl,
  seedFile: testSeed,
  dialect: "reference",
  allowLoopback: true,
  showAllMail: true,
  retrySchedule: { ...defaultRetrySchedule, delaysMs: [50, 50] },
  bodyLimitBytes: 64 * 1024,
  encryptionKey: undefined,
  rateLimit: undefined,
  personRateLimit: undefined,
  trustedProxies: 0,
  metrics: undefined,
  retention: defaultRetention,
  smtp: undefined,
  fcmCredentials: undefined,
  logLevel: "info",
  ...changes,
});

/** @param now a clock of the test's own */
export async function openPlatform(
  place: StorePlace,
  changes: Partial<Settings> = {},
  now?: () => Date,
): Promise<PlatformUnderTest> {
  const logLines: string[] = [];
  const log = createLog("info", { write: (line) => void logLines.push(line) });
  const platform: Platform = await startPlatform(settingsFor(place, changes), log, now);

  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const headers = new Headers(options.headers);
    if (options.key !== undefined) headers.set("X-UE-Api-Subscription-Key", options.key);
    if (options.token !== undefined) headers.set("Authorization", `Bearer ${options.token}`);
    if (options.json !== undefined) headers.set("Content-Type", "application/json");
    const body = options.json === undefined ? (options.body ?? null) : JSON.stringify(options.json);
    const response = await fetch(platform.address + path, { method, headers, body: body as BodyInit | null });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text };
    expectIdentified(method, path, answer);
    // The portal and the worker's app are ours alone, but their problems are like all others. The document is of the
    // reference dialect.
    const isDocumented = path.startsWith("/offer") || answer.status >= 400;
    if (method !== "HEAD" && isDocumented && changes.dialect !== "live") expectDocumented(method, path, answer);
    return { ...answer, json: () => JSON.parse(text) };
  };

  const tokens = new Map<string, Promise<string>>();
  /** Once for each. */
  const signIn = (path: string, credentials: object): Promise<string> => {
    const who = JSON.stringify([path, credentials]);
    const token = tokens.get(who) ?? openSession(path, credentials);
    tokens.set(who, token);
    return token;
  };
  const openSession = async (path: string, credentials: object): Promise<string> => {
    const answer = await call("POST", path, { json: { ...credentials, password: "demo-password" } });
    if (answer.status !== 201) throw new Error(`sign-in at ${path} was answered ${answer.status}`);
    return answer.json<{ token: string }>().token;
  };

  return {
    address: platform.address,
    metricsAddress: platform.metricsAddress,
    logLines,
    call,
    signInPerson: (emailAddress) => signIn("/portal/session", { emailAddress }),
    signInWorker: (workerId) => signIn("/worker-app/session", { workerId }),
    close: () => platform.close(),
  };
}
