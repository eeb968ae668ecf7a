import type { Duplex } from "node:stream";
import { maxIdleMs } from "../generated/decisions.ts";
import type { NodeAgent } from "../http.ts";

/** A time on two clocks. The monotonic clock may stop while a machine is suspended, and the wall clock may be changed. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const readClocks = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

const lastUses = new WeakMap<Duplex, Moment>();

/** Remembers that a response on the socket has just ended. */
export const markUse = (socket: Duplex): unknown => lastUses.set(socket, readClocks());

/**
 * Closes the agent's connections to a server that have been idle for `maxIdleMs` (D-142) or for an unknown time. A load balancer, a NAT or
 * the service may have dropped them, and a request on a dropped connection would be lost without a trace.
 */
export function dropStaleSockets(
  { freeSockets }: NodeAgent,
  { hostname, port, protocol }: URL,
  now = readClocks(),
): void {
  // An agent's names start with the host without brackets and the port.
  const prefix = `${hostname.replace(/^\[|\]$/g, "")}:${port || (protocol === "https:" ? 443 : 80)}:`;
  for (const [name, sockets] of Object.entries(freeSockets as Record<string, readonly Duplex[]>)) {
    if (!name.startsWith(prefix)) continue;
    for (const socket of sockets.filter((socket) => !isFresh(lastUses.get(socket), now))) {
      socket.destroy();
      // The agent would otherwise still choose it, until it emits `close`.
      socket.emit("agentRemove");
    }
  }
}

/** Returns whether less than `maxIdleMs` have passed, according to both clocks. */
export function isFresh(lastUse: Moment | undefined, now: Moment): boolean {
  if (!lastUse) return false;
  const monotonicIdleMs = now.monotonicMs - lastUse.monotonicMs;
  const wallIdleMs = now.wallMs - lastUse.wallMs;
  // If the wall clock was set back, it cannot show how long the connection was idle.
  return monotonicIdleMs < maxIdleMs && wallIdleMs >= 0 && wallIdleMs < maxIdleMs;
}
