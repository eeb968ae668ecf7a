import type { EndpointCheckCode } from "../dispatch/outbound/test-endpoint.ts";
import type { SandboxCaller } from "./sandbox-caller.ts";

/** Why the profile was not saved; undefined when it was. */
export interface Registration {
  reason: string | undefined;
  /** Whether the endpoint may pass the same checks later. */
  isWorthRetrying: boolean;
}

interface ProfileProblem {
  detail: string;
  errors?: Record<string, string[]>;
  checks?: { method: string; path: string; passed: boolean; code: EndpointCheckCode; reason: string }[];
}

/** Codes that another address is needed for. */
const unusable: readonly EndpointCheckCode[] = ["invalid_address", "forbidden_address"];

/**
 * Saves a base address and its secret on a company's profile, as a person at the portal does (D-41).
 *
 * @param session of that person
 */
export async function registerWebhooks(
  caller: SandboxCaller,
  session: Record<string, string>,
  { baseAddress, secret }: { baseAddress: string; secret: string },
): Promise<Registration> {
  const profile = { baseAddress, secret, suggestsContacts: true };
  const response = await caller.call("PUT", "/portal/profile", session, profile);
  if (response.ok) return { reason: undefined, isWorthRetrying: false };
  const { detail, errors, checks } = (await response.json()) as ProfileProblem;
  const failed = (checks ?? []).filter(({ passed }) => !passed);
  if (failed.length > 0)
    return {
      reason: failed.map(({ method, path, reason }) => `${method} ${path}: ${reason}`).join("; "),
      isWorthRetrying: !failed.some(({ code }) => unusable.includes(code)),
    };
  const fields = Object.entries(errors ?? {}).map(([field, remedies]) => `${nameOf(field)}: ${remedies.join(" ")}`);
  return { reason: fields.join("; ") || detail, isWorthRetrying: false };
}

const nameOf = (field: string): string => ({ baseAddress: "--webhooks-to", secret: "WEBHOOK_SECRET" })[field] ?? field;
