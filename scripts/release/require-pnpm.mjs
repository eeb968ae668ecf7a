// Runs before any tool packs a package. This file is plain JavaScript, because npm may run on a Node that does not strip types.
import { basename } from "node:path";

// Check both variables, because a different tool that pnpm started may have inherited one of them: npm keeps one, and Yarn the other.
const { npm_config_user_agent: agent = "", npm_execpath: tool = "" } = process.env;
if (!agent.startsWith("pnpm/") || !basename(tool).startsWith("pnpm")) {
  console.error(
    "Pack and publish this package with pnpm (pnpm pack, pnpm publish). Any other tool leaves versions in package.json that no registry understands.",
  );
  process.exit(1);
}
