import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { maxSuggestionsBytes } from "@offers/contract/decisions";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";
import { EndpointError } from "./failures.ts";

/** Creates the error for a forbidden address. The guard reports it before anything is sent. */
const forbiddenAddressError = (): EndpointError =>
  new EndpointError("forbidden_address", "the base URL does not resolve to a public IP address");

export type Resolve = (name: string) => Promise<LookupAddress[]>;

export interface GuardedConnectorOptions extends AddressGuardOptions {
  /** The total time limit for DNS lookup, connection and TLS handshake (D-25). */
  connectTimeoutMs: number;
  /** Resolves a host name to all of its IP addresses. */
  resolve: Resolve;
  /** Returns whether an IP address belongs to this machine. */
  isOwnAddress: (address: string) => boolean;
}

/**
 * Creates a connector that connects only to allowed addresses (SSRF). It resolves a host name once, and rejects it if any of its
 * addresses is forbidden. The connection uses a checked address, which prevents DNS rebinding.
 */
export function createGuardedConnector({
  connectTimeoutMs,
  resolve,
  isOwnAddress,
  allowLoopback,
}: GuardedConnectorOptions): buildConnector.connector {
  const isAllowed = (address: string): boolean =>
    isAllowedAddress(address, { allowLoopback }) && (allowLoopback || !isOwnAddress(embeddedIpv4(address) ?? address));
  const tls = { allowH2: false, rejectUnauthorized: true };
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: createGuardedLookup(resolve, isAllowed),
    // Required by the type. undici connects to the port of each request.
    port: 0,
    ...tls,
    // The time limit for each address except the last one. Node's default of 250 ms is too short for distant receivers.
    autoSelectFamilyAttemptTimeout: Math.max(250, Math.ceil(connectTimeoutMs / 3)),
  });

  return (options, done) => {
    // Node does not call `lookup` for an IP address.
    const hostname = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) return done(forbiddenAddressError(), null);
    return connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      // As a second safeguard, check the address that the socket is connected to.
      if (!isAllowed(socket.remoteAddress ?? "")) {
        socket.destroy();
        return done(forbiddenAddressError(), null);
      }
      limitResponseBytes(socket);
      return done(null, socket);
    });
  };
}

/** Creates a `lookup` function that fails if any address of the host name is forbidden. */
const createGuardedLookup =
  (resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction =>
  (name, options, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
          return done(forbiddenAddressError(), "");
        return options.all ? done(null, addresses) : done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ""),
    );
  };

/** Public addresses that Azure uses internally, for metadata and control. */
const cloudInternal = new Set(["168.63.129.16"]);
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Returns the IPv4 address in a NAT64 address; undefined for any other address. DNS64 returns NAT64 addresses on IPv6-only networks
 * (RFC 6052).
 */
function embeddedIpv4(address: string): string | undefined {
  const parsed = ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
  return parsed?.match(nat64) ? parsed.toByteArray().slice(-4).join(".") : undefined;
}

interface AddressGuardOptions {
  /** Allows requests to loopback addresses. For development and tests only. */
  allowLoopback: boolean;
}

/**
 * Returns whether requests to this IP address are allowed, to prevent server-side request forgery (SSRF, D-41). Only public
 * addresses are allowed. Private, loopback, link-local, metadata and unknown addresses are rejected, and so are IPv6 addresses that
 * contain an IPv4 address. For NAT64 addresses, the IPv4 address is checked instead.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressGuardOptions): boolean {
  // An address with a zone id refers to an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const ipv4 = embeddedIpv4(address);
  if (ipv4 !== undefined) return isAllowedAddress(ipv4, { allowLoopback: false });
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return allowLoopback;
  if (range !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(globalUnicast) : !cloudInternal.has(parsed.toString());
}

/** Returns whether an IP address belongs to this machine. Even a public address may expose services meant only for this machine. */
export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const normalised = ipaddr.process(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((entry) => ipaddr.process(entry.address).toNormalizedString() === normalised);
}

export interface NameResolverOptions {
  /** The time limit for one query to one server, in milliseconds. Each server is queried at most twice. */
  timeoutMs: number;
  /** Name servers, as `address:port`. @default the system's name servers */
  servers?: readonly string[];
}

/**
 * Creates a function that queries name servers directly. It does not use `dns.lookup`, which occupies one of the four libuv threads
 * until it times out. Four names with unresponsive servers would block every other lookup.
 */
export function createNameResolver({
  timeoutMs,
  servers,
}: NameResolverOptions): (name: string) => Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    // Do not look up `localhost`, because name servers may not resolve it (RFC 6761, 6.3).
    if (/(?:^|\.)localhost\.?$/i.test(name)) return loopback;
    const [ipv4Result, ipv6Result] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...toLookupAddresses(ipv4Result, 4), ...toLookupAddresses(ipv6Result, 6)];
    if (addresses.length === 0 && ipv4Result.status === "rejected") throw ipv4Result.reason;
    return addresses;
  };
}

const loopback = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

const toLookupAddresses = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === "rejected" ? [] : result.value.map((address) => ({ address, family }));

/** The maximum size of one response on the wire, including headers and framing. It is far above every body limit (D-24). */
const maxWireBytes = 4 * maxSuggestionsBytes;
const readChunkBytes = 4_096;

/**
 * Closes a connection if a response is too large on the wire. undici counts only the body, but parsing endless headers or chunk
 * framing would block all other attempts.
 */
function limitResponseBytes(socket: Socket): void {
  let bytesWritten = 0;
  let responseStart = 0;
  let bytesRead = 0;
  socket.on("readable", () => {
    // There is no pipelining, so newly written bytes belong to the next request.
    if (socket.bytesWritten !== bytesWritten) responseStart = bytesRead;
    bytesWritten = socket.bytesWritten;
    bytesRead = socket.bytesRead;
    if (bytesRead - responseStart > maxWireBytes)
      socket.destroy(new EndpointError("protocol_error", "the response is too large"));
  });
  // Pass small chunks to undici, and nothing once the socket is destroyed. After oversized headers, undici still parses all data that
  // it has read, with an error for each line.
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    if (socket.destroyed) return null;
    const chunkBytes = Math.min(socket.readableLength, readChunkBytes);
    return read(size ?? (chunkBytes > 0 ? chunkBytes : undefined));
  };
}
