import { createApp } from "./app.ts";
import { Roster } from "./roster.ts";

const { PORT = "3001", WEBHOOK_SECRET = "" } = process.env;

const server = createApp(WEBHOOK_SECRET, new Roster()).listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error;
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : PORT;
  console.log(`integrator listening on http://127.0.0.1:${port}`);
});
// Longer than a proxy keeps an idle connection open: 60 s for nginx, 120 s for Caddy.
server.keepAliveTimeout = 130_000;
