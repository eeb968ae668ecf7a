/** Payloads from the contract with only their required fields. */
export const eventDeleted = { offerId: "offer_1", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };

export const timelineChanged = {
  workerId: "worker_amal",
  periodStart: "2099-05-01T00:00:00Z",
  periodEnd: "2099-05-08T00:00:00Z",
  completedAt: "2099-04-20T09:30:00Z",
};
