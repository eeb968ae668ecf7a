export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The `Location` header of a redirect. */
  location: string | null;
}

export interface SendOptions {
  headers?: Record<string, string>;
  /** @default the token of the client's session */
  formToken?: string;
}

/** Requests pages and sends their forms like a browser that keeps cookies. */
export interface PageClient {
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>;
  /** Submits a form like the platform's pages. */
  send(path: string, fields?: Record<string, string | string[]>, options?: SendOptions): Promise<PageResponse>;
  signIn(name: string): Promise<void>;
  /** The token in the forms of this client's pages. */
  formToken(): Promise<string>;
  cookie(): string;
}

/** @param signInPath the sign-in page of the section under test */
export function openPageClient(address: string, signInPath = "/sign-in"): PageClient {
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");

  async function request(path: string, init: RequestInit): Promise<PageResponse> {
    const headers = { Accept: "text/html", Cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(address + path, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, location: response.headers.get("location") };
  }

  const client: PageClient = {
    cookie,
    get: (path, headers = {}) => request(path, { headers }),
    async send(path, fields = {}, { headers = {}, formToken } = {}) {
      const form = new URLSearchParams({ formToken: formToken ?? (await client.formToken()) });
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
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
      if (status !== 303) throw new Error(`sign-in: ${status}`);
    },
  };
  return client;
}

export const companySecret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** Saves the company profile with the receiver as its endpoint. */
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
