/**
 * A service's base address: https, or http on loopback; no port 0, white space, credentials, query or fragment. `URL` would drop white
 * space, and a third slash before the host.
 */
export const baseAddress =
  /^(?!\w+:\/\/[^/]*:0+(\/|$))http(s:\/\/[^/:]|:\/\/(localhost|127\.[\d.]+|\[::1])(?![^:/]))[^\s?#@]*$/i;

/** The value of a header: printable ASCII, not empty or padded. `fetch` refuses other values with a message that shows them. */
export const headerValue = /^[!-~]([ -~]*[!-~])?$/;
