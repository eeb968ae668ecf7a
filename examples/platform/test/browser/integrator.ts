import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { generatePortrait } from "./portrait.ts";

export const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** An integrator, built with the kit, that records events and suggests people with pictures. */
export interface Integrator {
  /** The base URL for the company profile. */
  baseAddress: string;
  /** The workers' responses in order of arrival, such as `worker_amal accepted`. */
  responses: string[];
  /** The ids of the workers who added a contact. */
  contacts: string[];
  /** Whether the integrator works. If false, it responds to every event with 500. */
  isWorking: boolean;
  close(): Promise<void>;
}

export async function openIntegrator(): Promise<Integrator> {
  const app = express();
  const integrator: Integrator = {
    baseAddress: "",
    responses: [],
    contacts: [],
    isWorking: true,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  const throwIfBroken = (): void => {
    if (!integrator.isWorking) throw new Error("not working");
  };
  const pictures = new Map([
    ["dana.png", generatePortrait(226, 168, 120)],
    ["emile.png", generatePortrait(126, 178, 196)],
  ]);
  app.use(
    "/webhooks",
    webhookRouter({
      secret,
      onWorkerOfferResponse({ workerId, response }) {
        throwIfBroken();
        integrator.responses.push(`${workerId} ${response}`);
      },
      onWorkerAddedContact({ workerId }) {
        throwIfBroken();
        integrator.contacts.push(workerId);
      },
      suggestContacts: ({ filter = "", userEmailAddresses }) =>
        userEmailAddresses.includes("hana@harbour-hotels.example")
          ? suggestPeople(new URL("/pictures/", integrator.baseAddress)).filter(({ name }) =>
              name.toLowerCase().includes(filter.toLowerCase()),
            )
          : [],
    }),
  );
  app.get("/pictures/:name", (request, response) => {
    const picture = pictures.get(request.params.name);
    if (picture === undefined) response.status(404).end();
    else response.type("png").send(picture);
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  integrator.baseAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return integrator;
}

const suggestPeople = (picturesUrl: URL) => [
  {
    name: "Dana Kim",
    emailAddress: "dana.kim@example.com",
    profileImageUrl: new URL("dana.png?size=96", picturesUrl).href,
    ratings: [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2026-05-30T17:00:00Z" }],
  },
  {
    name: "Émile Dupont",
    emailAddress: "émile@küche.example",
    profileImageUrl: new URL("emile.png", picturesUrl).href,
    ratings: [
      { rating: 4, ratingProvider: "Harbour Kitchen", lastWorked: "2026-04-12T21:30:00Z" },
      { rating: 3, ratingProvider: "Harbour Events", lastWorked: "2025-12-31T23:00:00Z" },
    ],
  },
  {
    name: "Farah Aziz",
    emailAddress: "farah.aziz@example.com",
    // This picture is missing, so the page shows the person's initials.
    profileImageUrl: new URL("farah.png", picturesUrl).href,
    ratings: [],
  },
];
