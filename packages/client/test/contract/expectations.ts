/** The differences between the dialects (D-51). */
export const expectations = {
  reference: {
    created: 201,
    withdrawn: 200,
    absent: { status: 404, code: "offer_not_found" },
    absentWithdrawal: { ok: false, status: 404, code: "offer_not_found" },
    absentCompletion: { ok: false, status: 404, code: "offer_not_found" },
    closed: 409,
    reused: 422,
    versionIsOptional: true,
  },
  live: {
    created: 200,
    withdrawn: 204,
    absent: { status: 204, code: undefined },
    absentWithdrawal: { ok: true },
    absentCompletion: { ok: false, status: 400, code: "offer_not_found" },
    closed: 400,
    reused: 400,
    versionIsOptional: false,
  },
} as const;

export const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service, black trousers, knives provided.",
  locationPlaceId: "place_harbour_kitchen",
  notifyEmailAddress: "hana@harbour-hotels.example",
  workerIds: ["worker_cleo", "worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
};
