import type { Context } from "../context.ts";
import { showCompanyProfile } from "./company-profile.ts";
import { showContacts } from "./contacts.ts";
import { showFailures } from "./failures.ts";
import { showFilledOffer } from "./offer-is-filled.ts";
import { showWithdrawnOffer } from "./offer-is-withdrawn.ts";
import { showInvalidRequests } from "./wrong-requests.ts";

/** The walkthrough: every scenario, in order. */
export const scenarios: readonly ((context: Context) => Promise<void>)[] = [
  showCompanyProfile,
  showFilledOffer,
  showWithdrawnOffer,
  showContacts,
  showFailures,
  showInvalidRequests,
];
