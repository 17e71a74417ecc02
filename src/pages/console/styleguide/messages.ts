import { html, type Html } from '../../../kit/html';
import { type Texts } from '../../layout/texts';
import { icon } from '../../layout/icons';
import { qrCode } from '../../layout/qrCode';
import { previewCard, protectedLabel } from '../../customer/preview';
import { houseTheme } from '../../layout/theme';
import { badge } from '../lists';
import { place } from './place';

/** Notices, states and waiting. */

const kinds = ['', 'good', 'warn', 'bad'] as const;
/** A state for each colour. */
const states = ['active', 'trialing', 'past_due', 'failed', 'canceled'] as const;

export function messages(texts: Texts): Html {
  const { t } = texts;
  const notices = kinds.map(
    (kind) => html`<p class="alert ${kind}">${t(`console.styleguide.notices.${kind === '' ? 'note' : kind}`)}</p>`,
  );
  const signs = kinds.map(
    (kind) => html`<span class="sign ${kind}">${icon(kind === 'good' ? 'check' : 'info')}</span>`,
  );
  return html`${notices}
    <div class="alert stack">
      <p>${t('console.styleguide.sample')}</p>
      <p><a href="${place}">${t('console.styleguide.textLink')}</a></p>
    </div>
    <div class="card stack">
      <h3>${t('console.styleguide.badges')}</h3>
      <div class="row">${states.map((state) => badge(texts, state))}</div>
      <div class="row">${signs}</div>
    </div>
    <div class="card stack centred">
      <h3>${t('console.styleguide.waiting')}</h3>
      <div class="spinner" role="status" aria-label="${t('console.styleguide.waiting')}"></div>
      <div class="skeleton"></div>
    </div>`;
}

/** What customers see of a brand, and what other devices read. */
export function offers(texts: Texts): Html {
  const { t } = texts;
  const theme = { ...houseTheme, showsProtectedLabel: true };
  const item = {
    title: t('console.styleguide.itemTitle'),
    description: t('console.styleguide.sample'),
    picture: '',
    minAge: 16,
  };
  return html`${previewCard(texts, theme, item)} ${protectedLabel(texts, theme)}
    <div class="card stack">
      <h2>${t('console.styleguide.codes')}</h2>
      ${qrCode('https://example.com', t('console.styleguide.codes'))}
      <ol class="codes">
        <li><code>J4KD-92PX</code></li>
        <li><code>8HRM-LQ3T</code></li>
      </ol>
    </div>`;
}
