/**
 * The faults of the receiver, and the share of each in a thousand requests: too few to disable the endpoint. A request without a
 * response occupies one of its slots until the attempt times out.
 */
const shares = {
  /** Responds with 500. */
  error: 25,
  /** Responds with 503, with a `Retry-After` of a second. */
  busy: 5,
  /** The connection ends before the request is looked at. */
  hangUp: 15,
  /** The connection ends after it was taken: the sender can't know. */
  hangUpAfter: 15,
  /** Taken after a while. */
  slow: 20,
  /** Never responds. */
  silence: 1,
} as const;

export type ReceiverFault = keyof typeof shares;

/**
 * The fault of a request; undefined for none.
 *
 * @param random from 0 to below 1
 */
export function faultFor(random: number): ReceiverFault | undefined {
  let rest = random * 1_000;
  for (const [fault, share] of Object.entries(shares)) {
    rest -= share;
    if (rest < 0) return fault as ReceiverFault;
  }
  return undefined;
}
