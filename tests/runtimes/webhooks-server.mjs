// Serves webhooks.mjs on Bun and Deno with their built-in servers, and on Node with Hono's server.
import webhooks from "./webhooks.mjs";

const address = { hostname: "127.0.0.1", port: 0 };
const reportListening = ({ port }) => console.log(`listening on http://127.0.0.1:${port}`);

if (globalThis.Bun) reportListening(globalThis.Bun.serve({ ...address, fetch: webhooks.fetch }));
else if (globalThis.Deno) globalThis.Deno.serve({ ...address, onListen: reportListening }, webhooks.fetch);
else (await import("@hono/node-server")).serve({ ...address, fetch: webhooks.fetch }, reportListening);
