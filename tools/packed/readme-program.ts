import { join } from "node:path";
import { snippetsIn } from "../snippets.ts";

const root = join(import.meta.dirname, "../..");

/** The two programs of README.md: one calls the service, the other receives webhooks. */
export const readmePrograms = { call: "@offers/client", receive: "@offers/webhook-kit/express" } as const;
export type ReadmeProgram = keyof typeof readmePrograms;

/** What each variable of the environment replaces, so that a test has an address, a port and a secret of its own. */
const variables: Record<ReadmeProgram, Readonly<Record<string, string>>> = {
  call: { '"http://127.0.0.1:3000"': 'process.env.SERVICE_ADDRESS ?? ""' },
  receive: {
    ".listen(3001,": ".listen(Number(process.env.PORT),",
    '"demo-webhook-secret"': 'process.env.SECRET ?? ""',
  },
};

/** A program of README.md, with SERVICE_ADDRESS, PORT and SECRET of the environment. */
export function readmeProgram(program: ReadmeProgram): string {
  const snippet = [...snippetsIn(root, "README.md")].find(({ code }) => code.includes(`"${readmePrograms[program]}"`));
  if (!snippet) throw new Error(`README.md has no snippet that imports ${readmePrograms[program]}`);
  return Object.entries(variables[program]).reduce((code, [printed, variable]) => {
    if (!code.includes(printed)) throw new Error(`README.md's program has no ${printed}`);
    return code.replace(printed, variable);
  }, snippet.code);
}
