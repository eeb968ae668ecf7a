import type { RequestHandler } from "express";
import helmet from "helmet";

const self = ["'self'"];

/**
 * Sets the Content-Security-Policy (CSP) and other headers. They restrict pages to the site's own files and form targets, and prevent
 * framing (clickjacking).
 *
 * @param directives the directives to add to the policy, which replace directives of the same name
 */
export const securityHeaders = (directives: Record<string, string[]> = {}): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": self,
        "style-src": self,
        "img-src": self,
        "connect-src": self,
        "form-action": self,
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        ...directives,
      },
    },
    // Without a referrer, browsers send `Origin: null` with our own forms.
    referrerPolicy: { policy: "same-origin" },
    // The app sets these for every response.
    strictTransportSecurity: false,
    xContentTypeOptions: false,
    xFrameOptions: { action: "deny" },
  });
