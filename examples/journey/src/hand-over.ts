import type { Party } from "./party.ts";
import type { Troupe } from "./troupe.ts";

/** Leaves the stage to the reader: prints what to try by hand, and brings the platform back whenever it is killed. */
export function handOver(troupe: Troupe): void {
  const address = (name: string) => troupe.parties.find((party) => party.name === name)?.address;
  const platform = troupe.parties.find(({ name }) => name === "platform");
  if (platform) void keepAlive(troupe, platform);
  console.log(`
Everything stays up until Ctrl+C. In a browser, with the password demo-password:

  portal      ${platform?.address}/     as hana@harbour-hotels.example, whose organisation integrates, or bo@bistro-group.example
  app         ${platform?.address}/app  as worker_amal, worker_ben or worker_cleo

And by hand:

  platform    ${platform?.address}   process ${platform?.pid}: kill -9 it, it comes back with all its data
  integrator  ${address("integrator")}/roster
  hirer       ${address("hirer")}/shifts/…

  curl -i ${platform?.address}/offer -H 'X-UE-Api-Subscription-Key: demo-key-harbour' \\
    -H 'Content-Type: application/json' \\
    -d '{"createdByUserId":"user_hana","title":"Kitchen help","workerIds":["worker_amal","worker_ben"]}'`);
}

async function keepAlive(troupe: Troupe, platform: Party): Promise<void> {
  const how = await platform.ended;
  if (troupe.isLeaving) return;
  console.log(`platform ended (${how}); starting it again with the same data`);
  const again = await troupe.startPlatform();
  console.log(`platform is back at ${again.address}, process ${again.pid}`);
  await keepAlive(troupe, again);
}
