import { demo } from "./demo.ts";

/** What a program needs to use the sandbox; with `--json` the first line. */
export interface StartedSandbox {
  address: string;
  /** `PGlite in /home/ann/.cache/offers-sandbox` */
  store: string;
  dialect: string;
}

/** What the sandbox prints once it runs. */
export const startLines = ({ address, store, dialect }: StartedSandbox): string => `\
sandbox listening on ${address} (store ${store}${dialect === "live" ? ", live dialect" : ""})

  API key       ${demo.apiKey}
  Portal        ${address}/
                ${demo.emailAddress}, password ${demo.password}
  Worker's app  ${address}/app
                ${demo.workerIds.join(" or ")}, password ${demo.password}

Create an offer:

  curl -i ${address}/offer \\
    -H 'X-UE-Api-Subscription-Key: ${demo.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"createdByUserId":"${demo.userId}","title":"Kitchen help","workerIds":${JSON.stringify(demo.workerIds)}}'

Each delivery of a webhook is a line below. Ctrl+C stops the sandbox.
`;
