import { createEndpointClient, type EndpointClientOptions } from "../../src/endpoint-client/create-endpoint-client.ts";
import type { EndpointRequest, EndpointResult } from "../../src/endpoint-client/endpoint-client.ts";

/** Sends one request through a new client. The default request is `GET /test` with a timeout of 5 s. */
export async function sendRequest(
  options: EndpointClientOptions,
  request: Partial<EndpointRequest> & { baseAddress: string },
): Promise<EndpointResult> {
  const endpointClient = createEndpointClient(options);
  try {
    return await endpointClient.send({ method: "GET", path: "/test", timeoutMs: 5_000, ...request });
  } finally {
    await endpointClient.close();
  }
}
