// Runs the scenario on workerd. Takes the URLs from the request body, and returns the results in the response body.
import { scenario } from "./client-scenario.mjs";

export default { fetch: async (request) => Response.json(await scenario(await request.json())) };
