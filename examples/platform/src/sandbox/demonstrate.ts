import { setTimeout } from "node:timers/promises";
import type { EndpointCheckCode } from "../endpoint-client/test-endpoint.ts";
import { demo } from "./demo.ts";
import type { Printer } from "./printer.ts";

const pauseMs = 1_000;

/**
 * Saves the company profile as soon as the endpoint passes its checks, so that the sandbox and the endpoint can be started in any
 * order. Prints the reason for a failure whenever it changes.
 *
 * @returns whether the profile was saved; false if the base URL is invalid
 */
export async function connectWebhooks(caller: SandboxCaller, baseAddress: string, printer: Printer): Promise<boolean> {
  const { WEBHOOK_SECRET: secret = demo.webhookSecret } = process.env;
  const session = await caller.signIn("/portal/session", { emailAddress: demo.emailAddress });
  let lastReason: string | undefined;
  for (;;) {
    const { reason, isWorthRetrying } = await saveProfile(caller, session, { baseAddress, secret });
    if (reason === undefined) {
      const secretLabel = secret === demo.webhookSecret ? `the secret ${secret}` : "the secret in WEBHOOK_SECRET";
      const text = `webhooks   both checks passed; webhooks are sent to ${baseAddress}, signed with ${secretLabel}`;
      printer.note("webhooks.saved", { baseAddress }, text, true);
      return true;
    }
    if (reason !== lastReason) {
      const next = isWorthRetrying ? "; trying again until both checks pass" : "";
      printer.note("webhooks.refused", { baseAddress, reason }, `webhooks   not saved: ${reason}${next}`, false);
    }
    lastReason = reason;
    if (!isWorthRetrying) return false;
    await setTimeout(pauseMs);
  }
}

/** The result of saving the profile. */
export interface Registration {
  /** Why the profile was not saved; undefined if it was saved. */
  reason: string | undefined;
  /** Whether the endpoint may still pass its checks later. */
  isWorthRetrying: boolean;
}

interface ProfileProblem {
  detail: string;
  errors?: Record<string, string[]>;
  checks?: { method: string; path: string; passed: boolean; code: EndpointCheckCode; reason: string }[];
}

/** Codes for failures that only a different base URL can resolve. */
const permanentFailures: readonly EndpointCheckCode[] = ["invalid_address", "forbidden_address"];

/**
 * Saves a base URL and its secret in a company profile, like a portal user (D-41).
 *
 * @param session the headers that authenticate the user
 */
async function saveProfile(
  caller: SandboxCaller,
  session: Record<string, string>,
  { baseAddress, secret }: { baseAddress: string; secret: string },
): Promise<Registration> {
  const profile = { baseAddress, secret, suggestsContacts: true };
  const response = await caller.call("PUT", "/portal/profile", session, profile);
  if (response.ok) return { reason: undefined, isWorthRetrying: false };
  const { detail, errors, checks } = (await response.json()) as ProfileProblem;
  const failedChecks = (checks ?? []).filter(({ passed }) => !passed);
  if (failedChecks.length > 0)
    return {
      reason: failedChecks.map(({ method, path, reason }) => `${method} ${path}: ${reason}`).join("; "),
      isWorthRetrying: !failedChecks.some(({ code }) => permanentFailures.includes(code)),
    };
  const fields = Object.entries(errors ?? {}).map(
    ([field, remedies]) => `${optionsByField[field] ?? field}: ${remedies.join(" ")}`,
  );
  return { reason: fields.join("; ") || detail, isWorthRetrying: false };
}

/** The sandbox option or variable that sets each field of the profile. */
const optionsByField: Record<string, string> = { baseAddress: "--webhooks-to", secret: "WEBHOOK_SECRET" };

/** Creates an offer. The first worker applies, and the others reject it. @returns the offer's id */
export async function createExampleOffer(caller: SandboxCaller): Promise<string> {
  const offer = { createdByUserId: demo.userId, title: "Kitchen help", workerIds: demo.workerIds };
  const response = await caller.call("POST", "/offer", { "X-UE-Api-Subscription-Key": demo.apiKey }, offer);
  if (!response.ok) throw new Error(`POST /offer responded with ${response.status}`);
  const body = await response.text();
  // In the live dialect, the body is only the id (D-51).
  const id = body.startsWith("{") ? (JSON.parse(body) as { id: string }).id : body;
  for (const [index, workerId] of demo.workerIds.entries()) {
    const session = await caller.signIn("/worker-app/session", { workerId });
    const action = index === 0 ? "apply" : "reject";
    const path = `/worker-app/offers/${id}/${action}`;
    const { ok, status } = await caller.call("POST", path, session);
    if (!ok) throw new Error(`POST ${path} responded with ${status}`);
  }
  return id;
}

/** Calls the running sandbox over HTTP, with demo accounts, like any other program. */
export class SandboxCaller {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async call(method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Response> {
    return await fetch(this.#address + path, {
      method,
      headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  }

  /** Signs in. @returns the headers to send in later calls */
  async signIn(path: string, credentials: Record<string, string>): Promise<Record<string, string>> {
    const response = await this.call("POST", path, {}, { ...credentials, password: demo.password });
    if (response.status !== 201) throw new Error(`POST ${path} responded with ${response.status}`);
    const { token } = (await response.json()) as { token: string };
    return { Authorization: `Bearer ${token}` };
  }
}
