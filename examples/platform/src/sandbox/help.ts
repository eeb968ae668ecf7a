export const help = `Usage: npx @offers/sandbox [options]

Runs the staffing service on this machine, with demo data: the offers API,
signed webhooks with retries, the portal and the worker's app.

Options:
  --port PORT          port to listen at (default 3000; 0 takes any free one)
  --webhooks-to URL    base address of your webhook endpoints; saved on the demo
                       company's profile once GET /test and GET /test/auth pass
  --example            creates an offer; one worker applies, one rejects
  --data DIR           folder of the data (default: the user's cache folder)
  --reset              deletes that data first
  --dialect live       responds as the live service is documented to
  --database-url URL   PostgreSQL instead of the embedded store
  --host ADDRESS       address to listen at (default 127.0.0.1)
  --allow-host NAME    one more host name that requests may have; repeatable
  --json               prints one JSON object per line, for programs
  --version            prints the version
  -h, --help           prints this help

Environment:
  WEBHOOK_SECRET       secret of --webhooks-to (default demo-webhook-secret)
  NO_COLOR             prints no colours

Examples:
  npx @offers/sandbox
  npx @offers/sandbox --webhooks-to http://localhost:3001/offers --example
  npx @offers/sandbox --port 8080 --dialect live --reset
`;
