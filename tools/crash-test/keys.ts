/** One worker's answers to one offer: told in the order in which they were given. */
export const responseKey = (offerId: string, workerId: string): string => `offer ${offerId}, ${workerId}`;

/** One worker's contacts at one organisation: they all look alike. */
export const contactKey = (organisationId: string, workerId: string): string => `${workerId} at ${organisationId}`;
