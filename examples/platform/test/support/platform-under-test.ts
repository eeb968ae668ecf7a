import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { createScryptPasswords } from "../../src/accounts/passwords.ts";
import { createLog } from "../../src/observability/log.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { type Platform, startPlatform } from "../../src/start-platform.ts";
import { expectDocumented, type WireResponse } from "../contract/openapi-validator.ts";
import type { TestDatabase } from "./stores/stores.ts";
import { testSeed } from "./test-seed.ts";

export interface CallOptions {
  /** An organisation's API key. */
  key?: string;
  /** A bearer token for the portal or the worker's app. */
  token?: string;
  headers?: Record<string, string>;
  /** A body to send as JSON. */
  json?: unknown;
  /** A body to send unchanged. */
  body?: string | Uint8Array;
}

export interface PlatformResponse extends WireResponse {
  /** Parses the body. */
  json<T = unknown>(): T;
}

/** The whole platform with the demo data, running in this process on a free port. */
export interface PlatformUnderTest {
  address: string;
  /** The URL of the metrics server; undefined unless the settings enable it. */
  metricsAddress: string | undefined;
  /** The platform's log, one line of JSON per entry. */
  logLines: string[];
  call(method: string, path: string, options?: CallOptions): Promise<PlatformResponse>;
  signInPerson(emailAddress: string): Promise<string>;
  signInWorker(workerId: string): Promise<string>;
  close(): Promise<void>;
}

/** Asserts that a response has a request id and `Cache-Control: no-store`. */
function expectCommonHeaders(method: string, path: string, { status, headers }: WireResponse): void {
  if (/^[\da-f-]{36}$/.test(headers.get("x-request-id") ?? "") && headers.get("cache-control") === "no-store") return;
  throw new Error(`${method} ${path}: ${status} without a request id, or without Cache-Control: no-store`);
}

const createTestSettings = ({ options }: TestDatabase, changes: Partial<Settings>): Settings => ({
  port: 0,
  host: "127.0.0.1",
  publicOrigin: undefined,
  allowedHosts: undefined,
  dataFolder: options.dataFolder,
  databaseUrl: options.databaseUrl,
  listenUrl: options.listenUrl,
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

/** Hashes at a low cost, because each hash takes 0.3 s of CPU time at the default cost. */
const passwords = createScryptPasswords({ N: 2, r: 1, p: 1 });

/** Opens a platform. @param now the test's clock @default the system clock */
export async function openPlatform(
  database: TestDatabase,
  changes: Partial<Settings> = {},
  now?: () => Date,
): Promise<PlatformUnderTest> {
  const logLines: string[] = [];
  const log = createLog("info", { write: (line) => void logLines.push(line) });
  const platform: Platform = await startPlatform(createTestSettings(database, changes), log, now, passwords);

  const call = async (method: string, path: string, options: CallOptions = {}): Promise<PlatformResponse> => {
    const headers = new Headers(options.headers);
    if (options.key !== undefined) headers.set("X-UE-Api-Subscription-Key", options.key);
    if (options.token !== undefined) headers.set("Authorization", `Bearer ${options.token}`);
    if (options.json !== undefined) headers.set("Content-Type", "application/json");
    const body = options.json === undefined ? (options.body ?? null) : JSON.stringify(options.json);
    const response = await fetch(platform.address + path, { method, headers, body: body as BodyInit | null });
    const text = await response.text();
    const received = { status: response.status, headers: response.headers, text };
    expectCommonHeaders(method, path, received);
    // openapi.yaml documents the offer operations, the extensions and every problem in the reference dialect.
    const isDocumented = /^\/(offer|events)\b/.test(path) || received.status >= 400;
    if (method !== "HEAD" && isDocumented && changes.dialect !== "live") expectDocumented(method, path, received);
    return { ...received, json: () => JSON.parse(text) };
  };

  const tokens = new Map<string, Promise<string>>();
  /** Returns an account's token. Signs in only the first time. */
  const signIn = (path: string, credentials: object): Promise<string> => {
    const account = JSON.stringify([path, credentials]);
    const token = tokens.get(account) ?? openSession(path, credentials);
    tokens.set(account, token);
    return token;
  };
  const openSession = async (path: string, credentials: object): Promise<string> => {
    const response = await call("POST", path, { json: { ...credentials, password: "demo-password" } });
    if (response.status !== 201) throw new Error(`sign-in at ${path}: ${response.status}`);
    return response.json<{ token: string }>().token;
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
