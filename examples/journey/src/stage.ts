import type { Caller } from "./caller.ts";
import type { Narrator } from "./narrator.ts";
import type { Phone } from "./phone.ts";
import type { Wiretap } from "./wiretap.ts";

/** Everyone and everything the story is played with. */
export interface Stage {
  narrator: Narrator;
  /** The hirer's own system, whose back end uses @offers/client. */
  hirer: Caller;
  /** The organisation's own system, which mounts @offers/webhook-kit. */
  integrator: Caller;
  /** Hana of Harbour Hotels, at the portal. */
  hana: Caller;
  /** Bo of the Bistro Group, at the portal. */
  bo: Caller;
  /** Somebody with nothing but an HTTP client and the API's address. */
  stranger: Caller;
  amal: Phone;
  ben: Phone;
  cleo: Phone;
  /** Between the platform and the integrator. */
  webhooks: Wiretap;
  /** What Hana enters on the company profile. */
  profile: { baseAddress: string; secret: string };
  /** What a refusal that the offer's state calls for is answered with, and what an offer that is not there (D-51). */
  statuses: { conflict: number; notFound: number };
  /** Ends the platform with kill -9, so that it can't say goodbye. */
  killPlatform(): Promise<void>;
  /** Unless it runs. */
  startPlatform(): Promise<void>;
}

/** What the integrator's own screen shows. */
export interface Roster {
  offers: Record<string, Record<string, "accepted" | "rejected">>;
  sharedWith: string[];
}
