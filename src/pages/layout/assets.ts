import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { styleSheet } from './style';

/** What pages load: all from here, and kept by browsers for as long as it does not change. */
const types = { 'style.css': 'text/css', 'htmx.js': 'text/javascript', 'page.js': 'text/javascript' } as const;
export type Asset = keyof typeof types;

const monthSeconds = 30 * 86_400;

const versionOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** Of each asset's own text, once it is read: browsers fetch what has changed anew. */
const versions = new Map<Asset, string>();

/** The address of an asset, which changes when the asset does. */
export function assetAddress(asset: Asset): string {
  return `/assets/${asset}?v=${versions.get(asset) ?? ''}`;
}

/** Serves them. `scripts`: the folder of the browser's scripts, compiled. */
export function pageAssets(scripts: string): Router {
  const texts: Record<Asset, string> = {
    'style.css': styleSheet,
    'htmx.js': readFileSync(require.resolve('htmx.org/dist/htmx.min.js'), 'utf8'),
    'page.js': readFileSync(join(scripts, 'page.js'), 'utf8'),
  };
  const router = Router();
  for (const name of Object.keys(types) as Asset[]) {
    versions.set(name, versionOf(texts[name]));
    router.get(`/assets/${name}`, (_request, response) => {
      response.set('Cache-Control', `public, max-age=${monthSeconds}, immutable`).type(types[name]).send(texts[name]);
    });
  }
  const embed = readFileSync(join(scripts, 'embed.js'), 'utf8');
  // Merchants' pages name it without a version.
  router.get('/embed.js', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('text/javascript').send(embed);
  });
  return router;
}
