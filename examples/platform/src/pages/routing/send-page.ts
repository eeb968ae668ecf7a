import type { Response } from "express";
import type { PageSession } from "../security/page-session.ts";
import type { PageContext } from "./page-context.ts";
import type { PageResult } from "./page-result.ts";
import type { PageSection } from "./page-section.ts";

/** Sends a page in the layout of its section, or a redirect. */
export async function sendPage<User>(
  section: PageSection<User>,
  response: Response,
  session: PageSession,
  context: PageContext<User> | undefined,
  result: PageResult,
): Promise<void> {
  if ("to" in result) {
    if (result.notice !== undefined) {
      session.notice = result.notice;
      await session.save();
    }
    response.redirect(303, result.to);
    return;
  }
  const { notice } = session;
  // Shown once, and not by a live update.
  const isWhole = response.req.get("x-part") === undefined;
  if (notice !== undefined && isWhole) {
    delete session.notice;
    await session.save();
  }
  // Screen readers read the title first, so it reports the failed form.
  const title = (result.status ?? 200) >= 400 ? `Not done: ${result.title}` : result.title;
  const document = await section.frame({ ...result, title }, { context, notice: isWhole ? notice : undefined });
  response
    .status(result.status ?? 200)
    .type("html")
    .send(String(document));
}
