import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { OutboundError } from "../outbound-error.ts";
import { limitResponseBytes } from "./limit-response-bytes.ts";
import { type AddressGuardOptions, isAllowedAddress } from "./ssrf-guard.ts";

/** Before a byte is sent. */
const forbidden = (): OutboundError =>
  new OutboundError("forbidden_address", "the base address does not lead to a public address");

export type Resolve = (name: string) => Promise<LookupAddress[]>;

export interface GuardedConnectorOptions extends AddressGuardOptions {
  /** For name look-up, connection and TLS together (D-25). */
  connectTimeoutMs: number;
  /** Returns all addresses of a name. */
  resolve: Resolve;
  /** Whether an address belongs to this machine. */
  isOwnAddress: (address: string) => boolean;
}

/**
 * Connects only to allowed addresses (SSRF). A name is resolved here, once, and one forbidden address rejects it. The checked
 * address is the one that is connected to, so DNS rebinding gains nothing.
 */
export function guardedConnector({
  connectTimeoutMs,
  resolve,
  isOwnAddress,
  allowLoopback,
}: GuardedConnectorOptions): buildConnector.connector {
  const isAllowed = (address: string): boolean =>
    isAllowedAddress(address, { allowLoopback }) && (allowLoopback || !isOwnAddress(address));
  const lookup: LookupFunction = (name, options, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) return done(forbidden(), "");
        return options.all ? done(null, addresses) : done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ""),
    );
  };
  const tls = { allowH2: false, rejectUnauthorized: true };
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup, port: 0, ...tls });

  return (options, done) => {
    // Node does not call `lookup` for a literal address.
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !isAllowed(literal)) return done(forbidden(), null);
    return connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      if (!isAllowed(socket.remoteAddress ?? "")) {
        socket.destroy();
        return done(forbidden(), null);
      }
      limitResponseBytes(socket);
      return done(null, socket);
    });
  };
}
