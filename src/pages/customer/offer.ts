import { html, type Html, type Written } from '../../kit/html';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { type Theme } from '../layout/theme';
import { feeContent, type ShownFee } from './fees';
import { previewCard, type Previewed } from './preview';

/** The first step of the paywall. The console shows the same parts as the preview of a brand. */

interface Sold {
  item: Previewed;
  /** Whether a subscription is sold. */
  isRenewed: boolean;
}

/** What is sold, and what a buyer may rely on. */
export function pitch(texts: Texts, theme: Theme, { item, isRenewed }: Sold): Html {
  const promises = isRenewed ? (['opensAtOnce', 'cancelOnline', 'ownAccount'] as const) : [];
  const lines = promises.map((name) => html`<li>${icon('check')}<span>${texts.t(`paywall.${name}`)}</span></li>`);
  const list = html`<ul class="assured">
    ${lines}
  </ul>`;
  return html`<div class="pitch">
    ${previewCard(texts, theme, { ...item, promises: lines.length > 0 ? list : '' })}
  </div>`;
}

/** A link to a step of the paywall. */
type StepLink = (query: Record<string, string>, text: Written, className?: string) => Html;

interface Offer {
  fees: readonly (ShownFee & { id: number })[];
  /** Whether everybody with an account has access. */
  isFree?: boolean;
  /** What stands below the plans. */
  below?: Written;
  link: StepLink;
}

/** The plans, of which each is a link, and the ways to register and to sign in. */
export function offer(texts: Texts, { fees, isFree = false, below, link }: Offer): Html {
  const { t } = texts;
  const plans = fees.map((fee) => {
    const plan = html`${feeContent(texts, fee, { beside: fees })}${icon('next')}`;
    return html`<li>${link({ step: 'register', fee: String(fee.id) }, plan, 'choice')}</li>`;
  });
  const list = html`<ul class="plain-list">
    ${plans}
  </ul>`;
  return html`<h2>${isFree ? t('paywall.freeForRegistered') : t('paywall.choose')}</h2>
    ${isFree ? '' : list} ${below}
    ${link({ step: 'register' }, t(isFree ? 'paywall.register' : 'paywall.getAccess'), 'button main offer full')}
    <p class="centred">${t('paywall.haveAccount')} ${link({ step: 'sign-in' }, t('common.signIn'))}</p>`;
}
