/** Adds as many headers as the signing senders, but no valid signature. */
export const unsigned = (_body: string, id: string): Record<string, string> => ({
  Timestamp: new Date().toISOString(),
  Authorization: `hmac ${"0".repeat(64)}`,
  "Offers-Delivery-Id": id,
});
