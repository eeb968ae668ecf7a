// Runs before a package is packed, by any tool. Plain JavaScript: npm may run on a Node that does not strip types.
import { basename } from "node:path";

// Both, because each can be inherited from a pnpm that started another tool: npm keeps one, Yarn the other.
const { npm_config_user_agent: agent = "", npm_execpath: tool = "" } = process.env;
if (!agent.startsWith("pnpm/") || !basename(tool).startsWith("pnpm")) {
  console.error(
    "Pack and publish this package with pnpm (pnpm pack, pnpm publish): any other tool leaves versions in package.json that no registry understands.",
  );
  process.exit(1);
}
