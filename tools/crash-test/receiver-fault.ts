/**
 * What may befall one request at the receiver, and its share in a thousand. Few enough that nobody takes the endpoint
 * for broken, and that those without an answer, who keep a place until the attempt times out, leave places free.
 */
const shares = {
  /** Answered 500. */
  error: 25,
  /** Answered 503, with a `Retry-After` of a second. */
  busy: 5,
  /** The connection ends before the request is looked at. */
  hangUp: 15,
  /** The connection ends after it was taken: the sender can't know. */
  hangUpAfter: 15,
  /** Taken after a while. */
  slow: 20,
  /** Never answered. */
  silence: 1,
} as const;

export type ReceiverFault = keyof typeof shares;

/**
 * Draws what befalls a request; undefined when all goes well.
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
