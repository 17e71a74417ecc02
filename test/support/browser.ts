import qs from 'qs';

export interface Page {
  /** Where the redirects ended. */
  url: URL;
  status: number;
  text: string;
}

interface BrowserOptions {
  /** An address of the settings, and where it is served: `http://paywall.test` → `http://127.0.0.1:…`. */
  served: { from: string; at: string };
  /** The address of an app. A redirect to it ends the walk. */
  app: string;
}

/** Follows redirects and keeps cookies, as far as a sign-in needs a browser. */
export class Browser {
  /** All visited addresses. */
  readonly visited: string[] = [];
  private readonly cookies = new Map<string, Map<string, string>>();

  constructor(private readonly options: BrowserOptions) {}

  visit(url: string | URL): Promise<Page> {
    return this.go(new URL(url), 'GET');
  }

  submit(url: URL, fields: Record<string, string>): Promise<Page> {
    return this.go(url, 'POST', qs.stringify(fields));
  }

  private async go(url: URL, method: string, body?: string): Promise<Page> {
    this.visited.push(url.href);
    const { from, at } = this.options.served;
    const jar = this.cookies.get(url.host) ?? new Map<string, string>();
    this.cookies.set(url.host, jar);
    const response = await fetch(url.href.replace(from, at), {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return { url, status: response.status, text };
    const next = new URL(location, url);
    return next.href.startsWith(this.options.app) ? { url: next, status: 200, text: '' } : this.go(next, 'GET');
  }
}
