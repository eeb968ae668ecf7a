import type { Caller } from "./caller.ts";
import type { Phone } from "./phone.ts";
import type { RecordingProxy } from "./recording-proxy.ts";
import type { Reporter } from "./reporter.ts";

/** Shared by all scenarios: the callers, the phones and the proxy in front of the integrator. */
export interface Context {
  reporter: Reporter;
  /** Calls the hirer's system, whose back end uses @offers/client. */
  hirer: Caller;
  /** Calls the organisation's system, which mounts @offers/webhook-kit. */
  integrator: Caller;
  /** Hana of Harbour Hotels, at the portal. */
  hana: Caller;
  /** Bo of the Bistro Group, at the portal. */
  bo: Caller;
  /** Calls the API without the client and without a session. */
  anonymous: Caller;
  amal: Phone;
  ben: Phone;
  cleo: Phone;
  /** Between the platform and the integrator. */
  webhooks: RecordingProxy;
  /** What Hana enters on the company profile. */
  profile: { baseAddress: string; secret: string };
  /** The dialect's statuses for an operation that the offer's state forbids, and for an unknown offer (D-51). */
  statuses: { conflict: number; notFound: number };
  /** Kills the platform with SIGKILL, without a graceful shutdown. */
  killPlatform(): Promise<void>;
  /** Does nothing if the platform is running. */
  startPlatform(): Promise<void>;
}

/** The response of the integrator's `GET /roster`. */
export interface Roster {
  offers: Record<string, Record<string, "accepted" | "rejected">>;
  sharedWith: string[];
}
