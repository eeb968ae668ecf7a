import { setTimeout } from "node:timers/promises";
import { demo } from "./demo.ts";
import type { Printer } from "./printer.ts";
import { registerWebhooks } from "./register-webhooks.ts";
import type { SandboxCaller } from "./sandbox-caller.ts";

const pauseMs = 1_000;

/**
 * Saves the profile, as soon as the endpoint passes its checks: sandbox and endpoint may be started in any order. Prints every
 * new reason why it does not.
 *
 * @returns whether it was saved; an address that is no address never will be
 */
export async function connectWebhooks(caller: SandboxCaller, baseAddress: string, printer: Printer): Promise<boolean> {
  const { WEBHOOK_SECRET: secret = demo.webhookSecret } = process.env;
  const session = await caller.signIn("/portal/session", { emailAddress: demo.emailAddress });
  let printed: string | undefined;
  for (;;) {
    const { reason, isWorthRetrying } = await registerWebhooks(caller, session, { baseAddress, secret });
    if (reason === undefined) {
      const which = secret === demo.webhookSecret ? `the secret ${secret}` : "the secret of WEBHOOK_SECRET";
      const text = `webhooks   both checks passed; webhooks go to ${baseAddress}, signed with ${which}`;
      printer.note("webhooks.saved", { baseAddress }, text, true);
      return true;
    }
    if (reason !== printed) {
      const next = isWorthRetrying ? "; trying again until both checks pass" : "";
      printer.note("webhooks.refused", { baseAddress, reason }, `webhooks   not saved: ${reason}${next}`, false);
    }
    printed = reason;
    if (!isWorthRetrying) return false;
    await setTimeout(pauseMs);
  }
}
