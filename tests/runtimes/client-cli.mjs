// Runs the scenario on Node, Bun and Deno. Takes the URLs as the first argument, and prints the results. With "undici" as the second
// argument, it uses the client's own transport, which needs Node 22.19.
import { scenario } from "./client-scenario.mjs";

const [addresses, transport] = process.argv.slice(2);
const pool = transport === "undici" ? (await import("@offers/client/node")).undiciFetch() : undefined;
console.log(JSON.stringify(await scenario(JSON.parse(addresses), pool)));
await pool?.close();
