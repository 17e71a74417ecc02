import { html, Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { icon, iconNames } from '../../layout/icons';
import { readTokens } from '../../layout/style';
import { type Texts } from '../../layout/texts';

/** Colours, surfaces, sizes of type and icons: what the parts are made of. */

const modes = ['light', 'dark'] as const;
const surfaces = ['ground', 'paper', 'soft'] as const;

/** The styles of the samples. Each colour has a light and a dark value, and `color-scheme` selects one for an area. */
const rulesOf = (typeSizes: readonly string[]) => [
  ...modes.map((mode) => `.in-${mode}{color-scheme:${mode};background:var(--ground);color:var(--ink)}`),
  ...surfaces.map((name) => `.on-${name}{background:var(--${name});color:var(--ink)}`),
  ...typeSizes.map((name) => `.of-${name}{font-size:var(--${name})}`),
];

export function foundations(visit: Visit, { t }: Texts): Html {
  const tokens = readTokens();
  const colourNames = tokens.filter(({ value }) => /^(#|light-dark|color-mix|var)/.test(value)).map(({ name }) => name);
  const typeSizes = tokens.map(({ name }) => name).filter((name) => /^t\d$/.test(name));
  return html`<style nonce="${visit.nonce}">
      ${new Html(rulesOf(typeSizes).join(''))}
    </style>
    <div class="halves wide">
      ${modes.map(
        (mode) =>
          html`<div class="card stack in-${mode}">
            <h3>${t(`console.styleguide.${mode}`)}</h3>
            <div class="grid tightly">${colourNames.map(swatch)}</div>
          </div>`,
      )}
    </div>
    <h3>${t('console.styleguide.surfaces')}</h3>
    <div class="grid">${surfaces.map((name) => html`<div class="card on-${name}"><code>--${name}</code></div>`)}</div>
    <h3>${t('console.styleguide.type')}</h3>
    <div class="card stack tight">
      ${typeSizes.map(
        (name) => html`<p class="of-${name}"><code>--${name}</code> ${t('console.styleguide.sample')}</p>`,
      )}
      <p class="strong">${t('console.styleguide.sample')}</p>
      <p class="quiet">${t('console.styleguide.sample')}</p>
      <p class="small">${t('console.styleguide.sample')}</p>
    </div>
    <h3>${t('console.styleguide.icons')}</h3>
    <div class="card grid tightly">
      ${iconNames.map((name) => html`<span class="row">${icon(name)} <code>${name}</code></span>`)}
    </div>`;
}

/** The colour is in `fill`, because the policy of pages refuses the attribute `style`. */
const swatch = (name: string) =>
  html`<span class="row">
    <svg width="36" height="24" aria-hidden="true">
      <rect width="36" height="24" rx="4" fill="var(--${name})" stroke="var(--edge)" />
    </svg>
    <code>--${name}</code>
  </span>`;
