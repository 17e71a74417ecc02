import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface GraphServer {
  address: string;
  /** The address to which the dialog sends the browser back. */
  approve(dialog: URL, profile: Record<string, unknown>): URL;
  stop(): Promise<void>;
}

interface Grant {
  challenge: string;
  redirectUri: string;
  profile: Record<string, unknown>;
}

/**
 * Speaks OAuth 2.0 with PKCE and a profile at `/me`, as Facebook does: without ID tokens, and without a claim about
 * verified addresses.
 */
export async function startGraphServer(secret: string): Promise<GraphServer> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, Record<string, unknown>>();
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
    const { pathname } = new URL(request.url ?? '', 'http://graph');
    if (pathname === '/me') {
      const profile = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
      return profile ? { status: 200, body: profile } : { status: 401, body: { error: { message: 'Invalid token' } } };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = new URLSearchParams(Buffer.concat(chunks).toString());
    const code = sent.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const isOurs = sent.get('client_secret') === secret && sent.get('redirect_uri') === grant?.redirectUri;
    if (!isOurs || grant?.challenge !== challenge)
      return { status: 400, body: { error: { message: 'Invalid verification code' } } };
    const token = randomUUID();
    tokens.set(token, grant.profile);
    return { status: 200, body: { access_token: token, token_type: 'bearer', expires_in: 5_000 } };
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    approve: (dialog, profile) => {
      const asked = dialog.searchParams;
      const code = randomUUID();
      const redirectUri = asked.get('redirect_uri') ?? '';
      codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirectUri, profile });
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return back;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
