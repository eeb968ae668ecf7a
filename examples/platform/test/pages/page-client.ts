export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The redirect's `Location` header. */
  location: string | null;
}

export interface SendOptions {
  headers?: Record<string, string>;
  /** The CSRF token to send. @default the token for the client's session */
  formToken?: string;
}

/** Requests pages and submits their forms, like a browser that stores cookies. */
export interface PageClient {
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>;
  /** Submits a form as the platform's pages do. */
  send(path: string, fields?: Record<string, string | string[]>, options?: SendOptions): Promise<PageResponse>;
  signIn(name: string): Promise<void>;
  /** Reads the CSRF token of this client's session from the sign-in page. */
  formToken(): Promise<string>;
  cookie(): string;
}

/** Opens a client without a session. @param signInPath the sign-in page of the section under test */
export function openPageClient(address: string, signInPath = "/sign-in"): PageClient {
  const cookies = new Map<string, string>();
  const cookie = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

  async function request(path: string, init: RequestInit): Promise<PageResponse> {
    const headers = { Accept: "text/html", Cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(address + path, { ...init, headers, redirect: "manual" });
    for (const setCookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, location: response.headers.get("location") };
  }

  const client: PageClient = {
    cookie,
    get: (path, headers = {}) => request(path, { headers }),
    async send(path, fields = {}, { headers = {}, formToken } = {}) {
      const form = new URLSearchParams({ formToken: formToken ?? (await client.formToken()) });
      for (const [name, values] of Object.entries(fields))
        for (const value of [values].flat()) form.append(name, value);
      return request(path, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: address, ...headers },
        body: form.toString(),
      });
    },
    async formToken() {
      const { text } = await client.get(signInPath);
      return /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? "";
    },
    async signIn(name) {
      const { status } = await client.send(signInPath, { name, password: "demo-password" });
      if (status !== 303) throw new Error(`The sign-in responded with ${status}.`);
    },
  };
  return client;
}

export const companySecret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** Submits the company profile with the receiver as its endpoint. */
export const saveCompany = (
  client: PageClient,
  { baseAddress }: { readonly baseAddress: string },
  changes: Record<string, string> = {},
): Promise<PageResponse> =>
  client.send("/company", {
    baseAddress: `${baseAddress}/hooks`,
    secret: companySecret,
    scheme: "timestampDigest",
    ...changes,
  });
