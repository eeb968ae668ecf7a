// Runs before a package is packed, by any tool. Plain JavaScript: npm may run on a Node that does not strip types.
import { basename } from "node:path";

// Check both variables, because another tool that pnpm started may have inherited one of them: npm keeps one, Yarn keeps the other.
const { npm_config_user_agent: agent = "", npm_execpath: tool = "" } = process.env;
if (!agent.startsWith("pnpm/") || !basename(tool).startsWith("pnpm")) {
  console.error(
    "Pack and publish this package with pnpm (pnpm pack, pnpm publish): any other tool leaves versions in package.json that no registry understands.",
  );
  process.exit(1);
}
