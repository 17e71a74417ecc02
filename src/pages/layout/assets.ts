import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Response, Router } from 'express';
import { fontAddress, fontFile } from './font';
import { hashedAddress } from './hashedAddress';
import { sendPacked } from './packed';
import { consoleStyleSheet, paywallStyleSheet, portalStyleSheet, referenceStyleSheet } from './style';

/** The assets of pages. Pages load no assets from other hosts, and browsers cache the assets until they change. */
const types = {
  'paywall.css': 'text/css',
  'portal.css': 'text/css',
  'console.css': 'text/css',
  'reference.css': 'text/css',
  'page.js': 'text/javascript',
  'paymentForm.js': 'text/javascript',
  'cardFields.js': 'text/javascript',
  'passkeys.js': 'text/javascript',
  'fileText.js': 'text/javascript',
  'copy.js': 'text/javascript',
  'charts.js': 'text/javascript',
  'reference.js': 'text/javascript',
} as const;
export type Asset = keyof typeof types;

const forAYear = 'public, max-age=31536000, immutable';
/** Headers about documents mean nothing for an asset, and cost as many bytes as a small style sheet. */
const ofDocuments = [
  ...['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Origin-Agent-Cluster', 'X-DNS-Prefetch-Control'],
  ...['X-Download-Options', 'X-Frame-Options', 'X-Permitted-Cross-Domain-Policies', 'X-XSS-Protection'],
];
const asAsset = (response: Response) => {
  for (const name of ofDocuments) response.removeHeader(name);
  return response.set('Cache-Control', forAYear);
};
const readText = (file: string) => readFileSync(file, 'utf8');

/** The URLs of the assets that are served. */
const addresses = new Map<Asset, string>();

export function assetAddress(asset: Asset): string {
  return addresses.get(asset) ?? '';
}

/** Serves the assets. `scripts`: the folder of the compiled browser scripts. */
export function pageAssets(scripts: string): Router {
  const texts: Record<Asset, string> = {
    'paywall.css': paywallStyleSheet,
    'portal.css': portalStyleSheet,
    'console.css': consoleStyleSheet,
    'reference.css': referenceStyleSheet,
    // One file, because each request costs a slow telephone more than the bytes do.
    'page.js': [
      require.resolve('htmx.org/dist/htmx.min.js'),
      ...['page.js', 'keptInput.js'].map((name) => join(scripts, name)),
    ]
      .map(readText)
      .join('\n'),
    'paymentForm.js': readText(join(scripts, 'paymentForm.js')),
    'cardFields.js': readText(join(scripts, 'cardFields.js')),
    'passkeys.js': readText(join(scripts, 'passkeys.js')),
    'fileText.js': readText(join(scripts, 'fileText.js')),
    'copy.js': readText(join(scripts, 'copy.js')),
    'charts.js': readText(join(scripts, 'charts.js')),
    'reference.js': readText(join(scripts, 'reference.js')),
  };
  const router = Router();
  for (const asset of Object.keys(types) as Asset[]) {
    const address = hashedAddress(asset, texts[asset]);
    addresses.set(asset, address);
    router.get(address, (request, response) => {
      asAsset(response).type(types[asset]);
      sendPacked(request, response, address, texts[asset]);
    });
  }
  router.get(fontAddress, (_request, response) => {
    asAsset(response).type('font/woff2').send(fontFile);
  });
  const embed = readFileSync(join(scripts, 'embed.js'), 'utf8');
  // Merchants' pages use its URL without a version.
  router.get('/embed.js', (request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('text/javascript');
    sendPacked(request, response, '/embed.js', embed);
  });
  return router;
}
