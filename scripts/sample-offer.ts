/** Creates a recipient of an offer. */
export const recipient = (id: number, name: string, response: string) => ({
  id,
  workerId: `worker_${name.toLowerCase()}`,
  name,
  response,
  confirmation: "",
});

/** A valid offer. */
export const offer = {
  id: "offer_1",
  title: "Kitchen help on Friday",
  details: "",
  isHistoric: false,
  widthdrawn: false,
  complete: false,
  locationPlaceId: "",
  createdAt: "2099-04-20T09:30:00.000Z",
  events: [{ start: "2099-05-01T16:00:00.000Z", end: "2099-05-01T22:00:00.000Z" }],
  recipients: [recipient(1, "Amal", "applied")],
};
