// For Node, Bun and Deno: each with its built-in server, or the one that its users usually choose.
import webhooks from "./webhooks.mjs";

const where = { hostname: "127.0.0.1", port: 0 };
const report = ({ port }) => console.log(`listening on http://127.0.0.1:${port}`);

if (globalThis.Bun) report(globalThis.Bun.serve({ ...where, fetch: webhooks.fetch }));
else if (globalThis.Deno) globalThis.Deno.serve({ ...where, onListen: report }, webhooks.fetch);
else (await import("@hono/node-server")).serve({ ...where, fetch: webhooks.fetch }, report);
