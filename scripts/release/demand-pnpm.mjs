// Runs before a package is packed, by whichever tool. Plain JavaScript: npm may run on a Node that strips no types.
import { basename } from "node:path";

// Both, for each can be inherited from a pnpm that has started another tool: npm keeps the one, Yarn the other.
const { npm_config_user_agent: agent = "", npm_execpath: tool = "" } = process.env;
if (!agent.startsWith("pnpm/") || !basename(tool).startsWith("pnpm")) {
  console.error(
    "Pack and publish this package with pnpm (pnpm pack, pnpm publish): any other tool leaves versions in package.json that no registry understands.",
  );
  process.exit(1);
}
