import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { Router } from 'express';
import { styleSheet } from './style';

/** The assets of pages. Pages load no assets from other hosts, and browsers cache the assets until they change. */
const types = {
  'style.css': 'text/css',
  'htmx.js': 'text/javascript',
  'page.js': 'text/javascript',
  'paymentForm.js': 'text/javascript',
} as const;
export type Asset = keyof typeof types;

const yearSeconds = 31_536_000;

/** The URLs of the assets that are served. */
const addresses = new Map<Asset, string>();

/** The URL of an asset: `/assets/style-<hash of its text>.css`. */
export function hashedAddress(asset: Asset, text: string): string {
  const { name, ext } = parse(asset);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `/assets/${name}-${hash}${ext}`;
}

export function assetAddress(asset: Asset): string {
  return addresses.get(asset) ?? '';
}

/** Serves the assets. `scripts`: the folder of the compiled browser scripts. */
export function pageAssets(scripts: string): Router {
  const texts: Record<Asset, string> = {
    'style.css': styleSheet,
    'htmx.js': readFileSync(require.resolve('htmx.org/dist/htmx.min.js'), 'utf8'),
    'page.js': readFileSync(join(scripts, 'page.js'), 'utf8'),
    'paymentForm.js': readFileSync(join(scripts, 'paymentForm.js'), 'utf8'),
  };
  const router = Router();
  for (const asset of Object.keys(types) as Asset[]) {
    const address = hashedAddress(asset, texts[asset]);
    addresses.set(asset, address);
    router.get(address, (_request, response) => {
      response.set('Cache-Control', `public, max-age=${yearSeconds}, immutable`).type(types[asset]).send(texts[asset]);
    });
  }
  const embed = readFileSync(join(scripts, 'embed.js'), 'utf8');
  // Merchants' pages load the script from a URL without a version.
  router.get('/embed.js', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('text/javascript').send(embed);
  });
  return router;
}
