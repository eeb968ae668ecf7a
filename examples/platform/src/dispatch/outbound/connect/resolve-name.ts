import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";

export interface NameResolverOptions {
  /** For one try at one server; there are two tries. */
  timeoutMs: number;
  /** `address:port` of name servers. @default the system's */
  servers?: readonly string[];
}

/**
 * Queries name servers directly. `dns.lookup` would occupy one of Node's four threads for each name until the system times
 * out, so four names whose servers do not respond would block all others.
 */
export function nameResolver({ timeoutMs, servers }: NameResolverOptions): (name: string) => Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    // Name servers may not know it (RFC 6761, 6.3).
    if (/(?:^|\.)localhost\.?$/i.test(name)) return loopback;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (addresses.length === 0 && four.status === "rejected") throw four.reason;
    return addresses;
  };
}

const loopback = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

const addressesOf = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === "rejected" ? [] : result.value.map((address) => ({ address, family }));
