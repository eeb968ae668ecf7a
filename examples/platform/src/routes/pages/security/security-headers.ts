import type { RequestHandler } from "express";
import helmet from "helmet";

const self = ["'self'"];

/**
 * Sets the Content-Security-Policy (CSP) and other headers. They restrict pages to the site's own files and form targets, prevent framing
 * (clickjacking) and, over https, require https from then on (HSTS).
 *
 * @param directives the directives to add to the policy, which replace directives of the same name
 */
export const securityHeaders = (isSecure: boolean, directives: Record<string, string[]> = {}): RequestHandler =>
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
    strictTransportSecurity: isSecure,
    xFrameOptions: { action: "deny" },
  });
