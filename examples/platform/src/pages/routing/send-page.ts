import type { Response } from "express";
import type { PageSession } from "../security/page-session.ts";
import type { Visit } from "./page-context.ts";
import type { PageAnswer } from "./page-result.ts";
import type { Audience } from "./page-section.ts";

/** A page in its frame, with what the form before it had to say; or where to go on. */
export async function sendPage<Who>(
  audience: Audience<Who>,
  response: Response,
  session: PageSession,
  visit: Visit<Who> | undefined,
  answer: PageAnswer,
): Promise<void> {
  if ("to" in answer) {
    if (answer.notice !== undefined) {
      session.notice = answer.notice;
      await session.save();
    }
    response.redirect(303, answer.to);
    return;
  }
  const { notice } = session;
  // Said once. What only swaps a part of its page says nothing.
  const isWhole = response.req.get("x-part") === undefined;
  if (notice !== undefined && isWhole) {
    delete session.notice;
    await session.save();
  }
  // Said first: that a form is there again would go unheard.
  const title = (answer.status ?? 200) >= 400 ? `Not done: ${answer.title}` : answer.title;
  const document = await audience.frame({ ...answer, title }, { visit, notice: isWhole ? notice : undefined });
  response
    .status(answer.status ?? 200)
    .type("html")
    .send(String(document));
}
