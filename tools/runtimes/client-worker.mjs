// workerd: the addresses are the request's body, the results the answer's.
import { scenario } from "./client-scenario.mjs";

export default { fetch: async (request) => Response.json(await scenario(await request.json())) };
