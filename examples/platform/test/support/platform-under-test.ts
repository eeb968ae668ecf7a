import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { createScryptPasswords, type Passwords } from "../../src/accounts/passwords.ts";
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
  /** A bearer token for the portal or the worker app. */
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
  /** The URL of the metrics server, or undefined if the settings do not enable it. */
  metricsAddress: string | undefined;
  /** The platform's log, one line of JSON per entry. */
  logLines: string[];
  call(method: string, path: string, options?: CallOptions): Promise<PlatformResponse>;
  signInPerson(emailAddress: string): Promise<string>;
  signInWorker(workerId: string): Promise<string>;
  close(): Promise<void>;
}

/** Asserts that a response has a request id, `Cache-Control: no-store` and `X-Content-Type-Options: nosniff`. */
function expectCommonHeaders(method: string, path: string, { status, headers }: WireResponse): void {
  const expected = {
    "x-request-id": /^[\da-f-]{36}$/,
    "cache-control": /^no-store$/,
    "x-content-type-options": /^nosniff$/,
  };
  for (const [name, value] of Object.entries(expected))
    if (!value.test(headers.get(name) ?? "")) throw new Error(`${method} ${path}: ${status} without ${name}`);
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

/** Hashes passwords at a low cost. At the default cost, each hash takes 0.3 s of CPU time. */
export const cheapPasswords = createScryptPasswords({ N: 2, r: 1, p: 1 });

/**
 * Starts the platform with the test settings, overridden by `changes`.
 *
 * @param now the test clock @default the system clock
 */
export async function openPlatform(
  database: TestDatabase,
  changes: Partial<Settings> = {},
  now?: () => Date,
  passwords: Passwords = cheapPasswords,
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
    const wireResponse = { status: response.status, headers: response.headers, text };
    expectCommonHeaders(method, path, wireResponse);
    // openapi.yaml documents the offer operations, the event feed and all error responses, but only in the reference dialect.
    const isDocumented = /^\/(offer|events)\b/.test(path) || response.status >= 400;
    if (method !== "HEAD" && isDocumented && changes.dialect !== "live") expectDocumented(method, path, wireResponse);
    return { ...wireResponse, json: () => JSON.parse(text) };
  };

  const tokens = new Map<string, Promise<string>>();
  /** Returns the token of an account. Signs in only on the first call for the account. */
  const signIn = (path: string, credentials: object): Promise<string> => {
    const accountKey = JSON.stringify([path, credentials]);
    const token = tokens.get(accountKey) ?? openSession(path, credentials);
    tokens.set(accountKey, token);
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
