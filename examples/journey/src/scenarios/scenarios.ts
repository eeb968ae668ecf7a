import type { Context } from "../context.ts";
import { companyProfile } from "./company-profile.ts";
import { contacts } from "./contacts.ts";
import { failures } from "./failures.ts";
import { offerIsFilled } from "./offer-is-filled.ts";
import { offerIsWithdrawn } from "./offer-is-withdrawn.ts";
import { wrongRequests } from "./wrong-requests.ts";

/** The walkthrough: every scenario, in order. */
export const scenarios: readonly ((context: Context) => Promise<void>)[] = [
  companyProfile,
  offerIsFilled,
  offerIsWithdrawn,
  contacts,
  failures,
  wrongRequests,
];
