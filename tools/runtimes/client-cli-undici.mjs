// Node from 22.19: the scenario over the client's own transport.
import { undiciFetch } from "@offers/client/node";
import { scenario } from "./client-scenario.mjs";

const pool = undiciFetch();
console.log(JSON.stringify(await scenario(JSON.parse(process.argv[2]), pool)));
await pool.close();
