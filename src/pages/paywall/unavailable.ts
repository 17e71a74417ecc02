import { html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { icon, type IconName } from '../layout/icons';
import { type Paywall, stage, stepLink } from './parts';

/**
 * The reasons why an item is not sold to a visitor, in the words of the message to the embedding page
 * (docs/embedding.md).
 */
const reasons = {
  age: 'paywall.notOldEnough',
  domain: 'paywall.notOnDomain',
  geo: 'paywall.notInCountry',
  not_on_sale: 'paywall.notOnSale',
} as const;
export type Reason = keyof typeof reasons;

const icons = { age: 'user', domain: 'globe', geo: 'globe', not_on_sale: 'bag' } as const satisfies Record<
  Reason,
  IconName
>;

export function unavailableStage(paywall: Paywall, reason: Reason, options: PageResponseOptions = {}): PageResponse {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred" tabindex="-1" data-focus>
    <span class="sign">${icon(icons[reason])}</span>
    <h2>${t('paywall.notAvailable')}</h2>
    <p class="quiet">${t(reasons[reason])}</p>
    ${reason === 'not_on_sale' && !paywall.visit.caller && wayIn(paywall)}
  </section>`;
  return stage(paywall, content, { ...options, tell: { type: 'paywall.unavailable', reason } });
}

/** Customers who bought the item while it was on sale keep their access. */
const wayIn = (paywall: Paywall) =>
  html`<p>
    ${paywall.texts.t('paywall.haveAccount')}
    ${stepLink(paywall, { step: 'sign-in' }, paywall.texts.t('common.signIn'))}
  </p>`;
