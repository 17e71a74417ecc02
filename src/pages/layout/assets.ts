import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { styleSheet } from './style';

/** What pages load: all from here, and kept by browsers for as long as it does not change. */
const types = { 'style.css': 'text/css', 'htmx.js': 'text/javascript', 'page.js': 'text/javascript' } as const;
export type Asset = keyof typeof types;

const monthSeconds = 30 * 86_400;

/** Changes when the program does: browsers fetch what they keep anew. */
const version = createHash('sha256').update(styleSheet).digest('hex').slice(0, 10);

/** The address of an asset, which changes when the asset does. */
export function assetAddress(asset: Asset): string {
  return `/assets/${asset}?v=${version}`;
}

/** Serves them. `scripts`: the folder of the browser's scripts, compiled. */
export function pageAssets(scripts: string): Router {
  const texts: Record<Asset, string> = {
    'style.css': styleSheet,
    'htmx.js': readFileSync(require.resolve('htmx.org/dist/htmx.min.js'), 'utf8'),
    'page.js': readFileSync(join(scripts, 'page.js'), 'utf8'),
  };
  const router = Router();
  for (const [name, type] of Object.entries(types))
    router.get(`/assets/${name}`, (_request, response) => {
      response
        .set('Cache-Control', `public, max-age=${monthSeconds}, immutable`)
        .type(type)
        .send(texts[name as Asset]);
    });
  const embed = readFileSync(join(scripts, 'embed.js'), 'utf8');
  // Merchants' pages name it without a version.
  router.get('/embed.js', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('text/javascript').send(embed);
  });
  return router;
}
