import type { Caller } from "./caller.ts";
import type { Phone } from "./phone.ts";
import type { RecordingProxy } from "./recording-proxy.ts";
import type { Reporter } from "./reporter.ts";

/** The callers, phones, values and functions that all scenarios share. */
export interface Context {
  reporter: Reporter;
  /** Calls the hirer's system, which uses @offers/client. */
  hirer: Caller;
  /** Calls the organisation's system, which mounts @offers/webhook-kit. */
  integrator: Caller;
  /** Calls the portal as Hana from Harbour Hotels. */
  hana: Caller;
  /** Calls the portal as Bo from the Bistro Group. */
  bo: Caller;
  /** Calls the API without the client and without a session. */
  anonymous: Caller;
  amal: Phone;
  ben: Phone;
  cleo: Phone;
  /** The proxy between the platform and the integrator. */
  webhooks: RecordingProxy;
  /** The values that Hana enters in the company profile. */
  profile: { baseAddress: string; secret: string };
  /** The statuses in this dialect (D-51): `conflict` if the offer state forbids an operation, `notFound` for an unknown offer. */
  statuses: { conflict: number; notFound: number };
  /** Kills the platform with SIGKILL, without a graceful shutdown. */
  killPlatform(): Promise<void>;
  /** Starts the platform, unless it is running. */
  startPlatform(): Promise<void>;
}

/** The response from the integrator's `GET /roster`. */
export interface Roster {
  offers: Record<string, Record<string, "accepted" | "rejected">>;
  sharedWith: string[];
}
