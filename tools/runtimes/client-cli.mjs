// Node, Bun and Deno: the addresses are the argument, the results the output.
import { scenario } from "./client-scenario.mjs";

console.log(JSON.stringify(await scenario(JSON.parse(process.argv[2]))));
