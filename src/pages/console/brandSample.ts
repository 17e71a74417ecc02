import { html, type Html, type Written } from '../../kit/html';
import { offer, pitch } from '../customer/offer';
import { protectedLabel } from '../customer/preview';
import { type Texts } from '../layout/texts';
import { type Theme } from '../layout/theme';

/** What a visitor of the paywall sees first, with an item and plans that are examples. */
export function sampleOffer(texts: Texts, theme: Theme): Html {
  const { t } = texts;
  const item = {
    title: t('console.branding.sampleTitle'),
    description: t('console.branding.sampleText'),
    picture: theme.coverUrl,
  };
  const link = (_query: object, text: Written, className = '') =>
    html`<a class="${className}" href="#content">${text}</a>`;
  return html`<div class="split">
    ${pitch(texts, theme, { item, isRenewed: true })}
    <div class="step stack">
      <section class="stack">${offer(texts, { fees: samplePlans(texts), link })}</section>
      ${protectedLabel(texts, theme)}
    </div>
  </div>`;
}

const samplePlans = ({ t }: Texts) =>
  (
    [
      ['month', 9.99],
      ['year', 99],
    ] as const
  ).map(([period, amount], id) => ({
    id,
    amount,
    currency: 'EUR',
    description: t(`console.branding.samplePlans.${period}`),
    expires_at: 0,
    access_type: { name: 'subscription', quantity: 1, period } as const,
    trial_period: null,
    setup_fee: null,
  }));
