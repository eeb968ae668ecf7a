/** The accounts from seed/demo.json that the sandbox prints and uses. */
export const demo = {
  organisation: "Harbour Hotels",
  apiKey: "demo-key-harbour",
  userId: "user_hana",
  emailAddress: "hana@harbour-hotels.example",
  workerIds: ["worker_amal", "worker_ben"],
  password: "demo-password",
  webhookSecret: "demo-webhook-secret",
} as const;
