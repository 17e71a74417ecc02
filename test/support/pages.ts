import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { html } from '../../src/kit/html';
import { type Pages } from '../../src/kit/pages/page';
import { type PageParts } from '../../src/kit/pages/context';
import { mountPages } from '../../src/kit/pages/serve';
import { kitParts, type Kit } from './kit';

/** The kit with pages of the test, at its own address. */
export async function startPages(pages: Pages, changes: Partial<PageParts> = {}): Promise<Kit> {
  const { parts, stop } = kitParts();
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mountPages(app, [pages], {
    ...parts,
    origin: address,
    key: Buffer.alloc(32, 1),
    allowsPlainPictures: false,
    findSignedIn: () => Promise.resolve({ email: 'ana@example.org', merchantName: 'Daily Kick' }),
    refuseClosed: () => Promise.resolve(),
    confirmations: {
      ask: () => Promise.reject(new Error('no page of the test needs a confirmation')),
      give: () => Promise.resolve(),
    },
    frameForeign: (_visit, address) => html`<iframe src="${address}"></iframe>`,
    showError: (_visit, error) => html`<p>${error.code}</p>`,
    ...changes,
  });
  return {
    address,
    stop: async () => {
      stop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
