import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { limitResponseBytes } from "./limit-response-bytes.ts";
import { type AddressGuardOptions, isAllowedAddress } from "./ssrf-guard.ts";

/** A connection that was refused before a byte was sent. */
export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddressError";
  readonly code = "forbidden_address";

  constructor() {
    super("the base address does not lead to a public address");
  }
}

export type Resolve = (name: string) => Promise<LookupAddress[]>;

export interface GuardedConnectorOptions extends AddressGuardOptions {
  /** D-25 */
  connectTimeoutMs: number;
  /** All addresses of a name. */
  resolve: Resolve;
  /** Whether an address is one of this machine. */
  isOwnAddress: (address: string) => boolean;
}

/**
 * Connects only to addresses that were checked. A name is looked up here, once, and one forbidden address refuses it: the
 * address that passes the check is the one that is connected to, so a name that resolves to another address later gains nothing (DNS rebinding).
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
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
          return done(new ForbiddenAddressError(), "");
        return options.all ? done(null, addresses) : done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ""),
    );
  };
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup,
    port: 0,
    rejectUnauthorized: true,
  });

  return (options, done) => {
    // Node asks no look-up function about a literal address.
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !isAllowed(literal)) return done(new ForbiddenAddressError(), null);
    return connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      if (!isAllowed(socket.remoteAddress ?? "")) {
        socket.destroy();
        return done(new ForbiddenAddressError(), null);
      }
      limitResponseBytes(socket);
      return done(null, socket);
    });
  };
}
