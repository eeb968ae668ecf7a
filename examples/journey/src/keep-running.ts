import type { Processes } from "./processes.ts";
import type { RunningProcess } from "./start-process.ts";

/** Prints the URLs to try by hand, and restarts the platform whenever it is killed. */
export function keepRunning(processes: Processes): void {
  const urlOf = (name: string) => processes.running.find((process) => process.name === name)?.address;
  const platform = processes.running.find(({ name }) => name === "platform");
  if (platform) void restartWhenKilled(processes, platform);
  console.log(`
Everything keeps running until Ctrl+C. Open in a browser; the password is demo-password:

  portal      ${platform?.address}/     as hana@harbour-hotels.example, whose organisation integrates, or bo@bistro-group.example
  app         ${platform?.address}/app  as worker_amal, worker_ben or worker_cleo
  console     ${platform?.address}/docs  to call every operation

Try by hand:

  platform    ${platform?.address}   process ${platform?.pid}: after kill -9 it restarts with all its data
  integrator  ${urlOf("integrator")}/roster
  hirer       ${urlOf("hirer")}/shifts/…

  curl -i ${platform?.address}/offer -H 'X-UE-Api-Subscription-Key: demo-key-harbour' \\
    -H 'Content-Type: application/json' \\
    -d '{"createdByUserId":"user_hana","title":"Kitchen help","workerIds":["worker_amal","worker_ben"]}'`);
}

/** Restarts the platform each time it exits, until everything is stopped. */
async function restartWhenKilled(processes: Processes, platform: RunningProcess): Promise<void> {
  const reason = await platform.ended;
  if (processes.isStopping) return;
  console.log(`platform ended (${reason}); restarting it with the same data`);
  const restarted = await processes.startPlatform();
  console.log(`platform is running again at ${restarted.address}, process ${restarted.pid}`);
  await restartWhenKilled(processes, restarted);
}
