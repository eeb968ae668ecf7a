export interface PageResult {
  status: number;
  headers: Headers;
  text: string;
  /** Where it leads, when it leads somewhere. */
  location: string | null;
}

export interface SendOptions {
  headers?: Record<string, string>;
  /** @default the token of the visitor's session */
  formToken?: string;
}

/** Somebody with a browser that keeps cookies, and knows nothing else of the platform. */
export interface PageVisitor {
  get(path: string, headers?: Record<string, string>): Promise<PageResult>;
  /** Sends a form as a page of ours does. */
  send(path: string, fields?: Record<string, string | string[]>, options?: SendOptions): Promise<PageResult>;
  signIn(name: string): Promise<void>;
  /** The token in the forms of this visitor's pages. */
  formToken(): Promise<string>;
  cookie(): string;
}

/** @param signInPath of the section whose pages are visited */
export function openVisitor(address: string, signInPath = "/sign-in"): PageVisitor {
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");

  async function ask(path: string, init: RequestInit): Promise<PageResult> {
    const headers = { Accept: "text/html", Cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(address + path, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, location: response.headers.get("location") };
  }

  const visitor: PageVisitor = {
    cookie,
    get: (path, headers = {}) => ask(path, { headers }),
    async send(path, fields = {}, { headers = {}, formToken } = {}) {
      const form = new URLSearchParams({ formToken: formToken ?? (await visitor.formToken()) });
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
      return ask(path, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: address, ...headers },
        body: form.toString(),
      });
    },
    async formToken() {
      const { text } = await visitor.get(signInPath);
      return /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? "";
    },
    async signIn(name) {
      const answer = await visitor.send(signInPath, { name, password: "demo-password" });
      if (answer.status !== 303) throw new Error(`sign-in was answered ${answer.status}`);
    },
  };
  return visitor;
}
