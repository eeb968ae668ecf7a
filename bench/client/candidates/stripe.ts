import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { type Calls, type ClientCandidate, commonHeaders, input } from "../candidate.ts";

type Options = NonNullable<ConstructorParameters<typeof Stripe>[1]>;

/** Creates a Stripe client that calls the service at `baseUrl`. The client adds its own key, versions and telemetry to every request. */
export function openStripe(baseUrl: string, options: Options = {}): Calls {
  const { protocol, hostname: host, port, pathname } = new URL(baseUrl);
  const [scheme, defaultPort] = protocol === "https:" ? (["https", "443"] as const) : (["http", "80"] as const);
  const client = new Stripe("sk_test_harbour", { ...options, protocol: scheme, host, port: port || defaultPort });
  return {
    read: () =>
      client.rawRequest("GET", `${pathname}/offer/offer_4f1c2a?api-version=1.0`, undefined, {
        additionalHeaders: commonHeaders,
      }),
    create: () =>
      client.rawRequest("POST", `${pathname}/offer?api-version=1.0`, input, {
        additionalHeaders: commonHeaders,
        idempotencyKey: randomUUID(),
      }),
  };
}

/** Uses Stripe's default HTTP client, which on Node is `node:http`. */
export const candidate: ClientCandidate = {
  label: "stripe rawRequest",
  usesFetch: false,
  open: (baseUrl) => openStripe(baseUrl),
  package: {
    program: `
      import Stripe from "stripe";
      console.log(await new Stripe("key", { host: "service.example" }).rawRequest("GET", "/v2/offer/offer_1"));`,
    imports: ["stripe"],
  },
};
