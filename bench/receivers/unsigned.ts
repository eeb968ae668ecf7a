/** Returns as many headers as a signing sender adds, but no valid signature. */
export const createUnsignedHeaders = (_body: string, id: string): Record<string, string> => ({
  Timestamp: new Date().toISOString(),
  Authorization: `hmac ${"0".repeat(64)}`,
  "Offers-Delivery-Id": id,
});
