// Recipes that need more than the workspace installs, in fresh projects with the packed packages:
//   npm run recipes [-- next jest lambda queues]
import { freshProject } from "../packed/fresh-project.ts";
import { jest } from "./jest.ts";
import { lambda } from "./lambda.ts";
import { next } from "./next.ts";
import { queues } from "./queues.ts";

const named = process.argv.slice(2);
for (const [name, recipe] of Object.entries({ next, jest, lambda, queues })) {
  if (named.length > 0 && !named.includes(name)) continue;
  const project = await freshProject();
  try {
    await recipe(project);
    console.log(`${name}: right`);
  } finally {
    await project.remove();
  }
}
