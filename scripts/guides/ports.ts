import { findFreePort } from "../processes/free-port.ts";

const documentedPorts = ["3000", "3001", "3002", "3003"];

/** The environment variables that a reader would set if the default ports were in use, by npm script. */
const settings: Record<string, string> = {
  platform: "PORT=3000",
  integrator: "PORT=3001",
  hirer: "PORT=3002 OFFERS_BASE_URL=http://127.0.0.1:3000",
};

/** Picks a free port for each documented port. @returns a function that replaces the documented ports, in commands and expected output */
export async function createPortReplacer(): Promise<(text: string) => string> {
  const freePorts = new Map<string, string>();
  for (const port of documentedPorts) freePorts.set(port, `${await findFreePort()}`);
  return (text) =>
    text
      // Leave a command unchanged if the document itself sets a port.
      .replace(/(?<!\bPORT=.*)\bnpm run ([\w:-]+)/g, (command, script) =>
        settings[script] ? `${settings[script]} ${command}` : command,
      )
      .replace(/\boffers-sandbox(?= --)/g, "$& --port 3000")
      .replace(/\b300[0-3]\b/g, (port) => freePorts.get(port) ?? port);
}
