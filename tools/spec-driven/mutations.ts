/** One change of the OpenAPI document, and who must notice it before a user does. */
export interface Mutation {
  what: string;
  from: string;
  to: string;
  noticedBy: readonly ("packages/client" | "packages/webhook-kit" | "examples/platform")[];
}

export const mutations: readonly Mutation[] = [
  {
    what: "the path of an operation",
    from: "  /offer/{id}/withdraw:\n",
    to: "  /offer/{id}/retract:\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the method of an operation",
    from: "  /offer/{id}/complete:\n    post:\n",
    to: "  /offer/{id}/complete:\n    put:\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the status of a response",
    from: '        "204":\n          description: The offer is complete.\n',
    to: '        "202":\n          description: The offer is complete.\n',
    noticedBy: ["examples/platform"],
  },
  {
    what: "a required field of a response",
    from: "      required: [id, workerId, name, response, confirmation]\n",
    to: "      required: [id, workerId, response, confirmation]\n",
    noticedBy: ["packages/client"],
  },
  {
    what: "the type of a field",
    from: "        id:\n          type: integer\n",
    to: "        id:\n          type: string\n",
    noticedBy: ["packages/client", "examples/platform"],
  },
  {
    what: "the path of a webhook",
    from: "  /offer/response:\n",
    to: "  /offer/decision:\n",
    noticedBy: ["packages/webhook-kit", "examples/platform"],
  },
];
