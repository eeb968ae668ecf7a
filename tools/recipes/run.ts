// Recipes that need more than the workspace installs, in fresh projects with the packed packages:
//   npm run recipes
import { freshProject } from "../packed/fresh-project.ts";
import { jest } from "./jest.ts";
import { lambda } from "./lambda.ts";
import { next } from "./next.ts";
import { queues } from "./queues.ts";

for (const [name, recipe] of Object.entries({ next, jest, lambda, queues })) {
  const project = await freshProject();
  try {
    await recipe(project);
    console.log(`${name}: right`);
  } finally {
    await project.remove();
  }
}
