import type { RequestHandler } from "express";
import { createProfileImageFinder, decryptImageUrl, type ProfileImage } from "../../../accounts/profile-images.ts";
import { ProblemError } from "../../../http/problem.ts";
import { pathParameter } from "../../../http/routes.ts";
import type { PageDeps } from "../routing/page.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { portalSection } from "../sections/portal-section.ts";

/** A transparent pixel that replaces a missing picture, so that the initials behind it show. */
const transparentPixel: ProfileImage = {
  type: "image/gif",
  bytes: Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
};

/** `GET /invitations/images/{reference}`: returns the picture of a person suggested in this session. */
export function profileImageRoute(deps: PageDeps): RequestHandler {
  const { authenticate } = pageRoutes(deps, portalSection);
  const findImage = createProfileImageFinder(deps);
  return async (request, response) => {
    const { session } = await authenticate(request, response, "image");
    const image =
      (await findImage(decryptReference(pathParameter(request, "reference"), session.id))) ?? transparentPixel;
    response.set("Content-Security-Policy", "default-src 'none'; sandbox").type(image.type).send(image.bytes);
  };

  function decryptReference(reference: string, sessionId: string): string {
    try {
      return decryptImageUrl(reference, deps.encryptionKey, sessionId);
    } catch (cause) {
      throw new ProblemError("not_found", "Search again to get new picture references.", { cause });
    }
  }
}
