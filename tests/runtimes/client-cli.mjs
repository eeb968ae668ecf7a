// Runs the scenario on Node, Bun and Deno. Takes the URLs as the argument, and prints the results. With "fetch" as the second argument, it
// uses the runtime's fetch, which on Node is not the default.
import { scenario } from "./client-scenario.mjs";

const [addresses, transport] = process.argv.slice(2);
const fetchOption = transport === "fetch" ? (url, init) => fetch(url, init) : undefined;
console.log(JSON.stringify(await scenario(JSON.parse(addresses), fetchOption)));
