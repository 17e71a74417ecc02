import { password } from './factories';
import { type TestApp } from './startApp';

export interface Walked {
  status: number;
  headers: Headers;
  text: string;
}

/** A browser without scripts: it keeps cookies and submits the forms of its page. */
export class PageWalker {
  private readonly jar = new Map<string, string>();
  private token = '';

  constructor(
    private readonly app: Pick<TestApp, 'address'>,
    private readonly headers: Record<string, string> = {},
  ) {}

  get cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** A cookie that a script of the pages sets. */
  keep(name: string, value: string): void {
    this.jar.set(name, value);
  }

  open(path: string): Promise<Walked> {
    return this.send(path, {});
  }

  /** As the content of a frame. */
  openFrame(path: string): Promise<Walked> {
    return this.send(path, { headers: { 'Sec-Fetch-Dest': 'iframe' } });
  }

  /** With the token of the page that was shown last, from there. */
  submit(path: string, fields: Record<string, string> = {}): Promise<Walked> {
    const body = new URLSearchParams({ ...fields, _token: this.token });
    return this.send(path, { method: 'POST', body, headers: { Origin: this.app.address } });
  }

  /** As a form with a file. Without a file, as a browser sends a field in which no file was chosen. */
  upload(path: string, name: string, file: Buffer | undefined): Promise<Walked> {
    const body = new FormData();
    body.set('_token', this.token);
    body.set(name, new Blob(file ? [new Uint8Array(file)] : []), file ? 'picture.png' : '');
    return this.send(path, { method: 'POST', body, headers: { Origin: this.app.address } });
  }

  private async send(path: string, request: RequestInit & { headers?: Record<string, string> }): Promise<Walked> {
    const response = await fetch(`${this.app.address}${path}`, {
      redirect: 'manual',
      ...request,
      headers: { Cookie: this.cookies, ...this.headers, ...request.headers },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    const text = await response.text();
    const [, inForm, inPage] = /name="_token" value="([^"]+)"|X-Page-Token&quot;:&quot;([^&]+)&quot;/.exec(text) ?? [];
    this.token = inForm ?? inPage ?? this.token;
    return { status: response.status, headers: response.headers, text };
  }
}

/** At the console, signed in as a merchant or its follower. */
export async function enterConsole(
  app: Pick<TestApp, 'address'>,
  email: string,
  headers: Record<string, string> = {},
): Promise<PageWalker> {
  const walker = new PageWalker(app, headers);
  await walker.open('/console/sign-in');
  await walker.submit('/console/sign-in', { email, password });
  return walker;
}
