import type { Processes } from "./processes.ts";
import type { RunningProcess } from "./start-process.ts";

/** Prints the URLs to try by hand, and restarts the platform whenever it is killed. */
export function keepRunning(processes: Processes): void {
  const getUrl = (name: string) => processes.running.find((process) => process.name === name)?.url;
  const platform = processes.running.find(({ name }) => name === "platform");
  if (platform) void restartWhenKilled(processes, platform);
  console.log(`
Everything keeps running until Ctrl+C. Open in a browser; the password is demo-password:

  portal      ${platform?.url}/     as hana@harbour-hotels.example, whose organisation integrates, or bo@bistro-group.example
  app         ${platform?.url}/app  as worker_amal, worker_ben or worker_cleo
  console     ${platform?.url}/docs  to call every operation

Try by hand:

  platform    ${platform?.url}   process ${platform?.pid}: after kill -9 it restarts with all its data
  integrator  ${getUrl("integrator")}/roster
  hirer       ${getUrl("hirer")}/shifts/…

  curl -i ${platform?.url}/offer -H 'X-UE-Api-Subscription-Key: demo-key-harbour' \\
    -H 'Content-Type: application/json' \\
    -d '{"createdByUserId":"user_hana","title":"Kitchen help","workerIds":["worker_amal","worker_ben"]}'`);
}

/** Restarts the platform each time it exits, until everything is stopped. */
async function restartWhenKilled(processes: Processes, platform: RunningProcess): Promise<void> {
  const reason = await platform.ended;
  if (processes.isStopping) return;
  console.log(`platform ended (${reason}); restarting it with the same data`);
  const restarted = await processes.startPlatform();
  console.log(`platform is running again at ${restarted.url}, process ${restarted.pid}`);
  await restartWhenKilled(processes, restarted);
}
