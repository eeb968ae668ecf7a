// Starts the platform, an integrator and a hirer as processes on loopback, plays the contract as one story, and stays
// up to be tried by hand. With --once it ends after the story: with 0 only if every step held.
import { companyProfile } from "./chapters/company-profile.ts";
import { contacts } from "./chapters/contacts.ts";
import { offerIsFilled } from "./chapters/offer-is-filled.ts";
import { offerIsWithdrawn } from "./chapters/offer-is-withdrawn.ts";
import { trouble } from "./chapters/trouble.ts";
import { wrongRequests } from "./chapters/wrong-requests.ts";
import { handOver } from "./hand-over.ts";
import { Troupe } from "./troupe.ts";

const troupe = new Troupe();
const { narrator } = troupe;

let leaving: Promise<void> | undefined;
const leave = () => {
  leaving ??= troupe.leave().finally(() => process.exit(narrator.failed > 0 ? 1 : 0));
};
process.on("SIGINT", leave);
process.on("SIGTERM", leave);

let held = false;
try {
  const stage = await troupe.enter();
  for (const chapter of [companyProfile, offerIsFilled, offerIsWithdrawn, contacts, trouble, wrongRequests])
    await chapter(stage);
  held = true;
} catch (error) {
  if (!leaving) console.error(error, `\n${troupe.lastLines()}`);
}

const stays = held && !process.argv.includes("--once");
if (stays) handOver(troupe);
console.log(`\n${narrator.closingLine()}`);
if (!stays) leave();
