import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

export interface OidcServer {
  issuer: string;
  stop(): Promise<void>;
}

export const oidcClient = { client_id: 'paywall', client_secret: 'a-secret-of-the-tests-0123456789abcdef' };

/** A real provider, as a process of its own. It ends when this process does, however this one ends. */
export async function startOidcServer(redirectUri: string): Promise<OidcServer> {
  const program = resolve(__dirname, 'oidcProvider.mjs');
  const child = fork(program, [oidcClient.client_id, oidcClient.client_secret, redirectUri], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  const ended = once(child, 'exit');
  const [issuer] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  if (typeof issuer !== 'string') throw new Error('The OpenID Connect server did not start');
  return {
    issuer,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
