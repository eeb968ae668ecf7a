// Starts the platform, an integrator and a hirer as processes on loopback, plays the contract as one story, and stays
// up to be tried by hand.
//   --once                 ends after the story: with 0 only if every step held
//   --kill-between-steps   kills the platform with -9 before every step and starts it again
//   --dialect live         has the platform answer as the live service does where that is known (D-51)
import { parseArgs } from "node:util";
import { companyProfile } from "./chapters/company-profile.ts";
import { contacts } from "./chapters/contacts.ts";
import { offerIsFilled } from "./chapters/offer-is-filled.ts";
import { offerIsWithdrawn } from "./chapters/offer-is-withdrawn.ts";
import { trouble } from "./chapters/trouble.ts";
import { wrongRequests } from "./chapters/wrong-requests.ts";
import { handOver } from "./hand-over.ts";
import { Troupe } from "./troupe.ts";

const { values: options } = parseArgs({
  options: {
    once: { type: "boolean", default: false },
    "kill-between-steps": { type: "boolean", default: false },
    dialect: { type: "string", default: "reference" },
  },
});
const { dialect } = options;
if (dialect !== "reference" && dialect !== "live") throw new Error("--dialect is reference or live");

const troupe = new Troupe({ dialect, killBetweenSteps: options["kill-between-steps"] });
const { narrator } = troupe;

let held = false;
let leaving: Promise<void> | undefined;
const leave = () => {
  leaving ??= troupe.leave().finally(() => process.exit(held ? 0 : 1));
};
process.on("SIGINT", leave);
process.on("SIGTERM", leave);

try {
  const stage = await troupe.enter();
  for (const chapter of [companyProfile, offerIsFilled, offerIsWithdrawn, contacts, trouble, wrongRequests])
    await chapter(stage);
  held = true;
} catch (error) {
  if (!leaving) console.error(error, `\n${troupe.lastLines()}`);
}

const stays = held && !options.once;
if (stays) handOver(troupe);
console.log(`\n${narrator.closingLine()}`);
if (!stays) leave();
