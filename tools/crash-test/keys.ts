/** One worker's responses to one offer: delivered in order. */
export const responseKey = (offerId: string, workerId: string): string => `offer ${offerId}, ${workerId}`;

/** One worker's contacts at one organisation: they all look alike. */
export const contactKey = (organisationId: string, workerId: string): string => `${workerId} at ${organisationId}`;
