// Starts the platform:
//   npm run platform                      uses the demo settings as defaults
//   npm run platform -- --without-demo    uses only your settings
import { join } from "node:path";

const platform = join(import.meta.dirname, "../examples/platform");
if (!process.argv.includes("--without-demo")) process.loadEnvFile(join(platform, "demo.env"));
await import("../examples/platform/src/main.ts");
