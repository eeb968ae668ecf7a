// workerd: the URLs are the request's body, the results the response's.
import { scenario } from "./client-scenario.mjs";

export default { fetch: async (request) => Response.json(await scenario(await request.json())) };
