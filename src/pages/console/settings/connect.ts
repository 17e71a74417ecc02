import { html, type Html } from '../../../kit/html';
import { merchant } from '../../../kit/auth';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type providerAccountEndpoints } from '../../../subscriptions/provider/providerAccounts.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { badge, facts } from '../lists';
import { showSettings } from './settings';

/** The merchant's account below the operator's platform (Stripe Connect), in the settings of payments. */

export const paymentsAddress = '/console/settings/payments';
export const connectPlace = { auth: merchant('settings:write'), path: `${paymentsAddress}/connect` } as const;

type Provider = AnswerOf<typeof providerAccountEndpoints.getPaymentProvider>;

/** What happens next, and the way to Stripe. A form may not lead to another site, so the way is a link. */
export function leadToStripe(visit: Visit, url: string): PageResponse {
  const { t } = textsFor(visit);
  const content = html`<section class="card stack">
    <h2>${t('console.payments.connectLeave')}</h2>
    <p>${t('console.payments.connectLeaveHint')}</p>
    <p><a class="button main" href="${url}" rel="noreferrer">${t('console.payments.connectLeaveLink')}</a></p>
  </section>`;
  return showSettings(visit, { tab: 'payments', done: undefined }, content, {});
}

/** Nothing if the installation has no platform and the merchant has no account below one. */
export function connectCard(visit: Visit, texts: Texts, { connect, connect_offered, kind }: Provider): Html {
  const { t } = texts;
  if (!connect_offered && !connect) return html``;
  const state = connect?.state ?? 'none';
  const isStopped = state === 'restricted' || state === 'deauthorized';
  const content = submit(t(`console.payments.connect_${state}_go`), { kind: state === 'active' ? 'slim' : 'main' });
  const isComplete = state === 'active' && connect?.missing.length === 0;
  return html`<section class="card stack">
    <h2>${t('console.payments.connectTitle')} ${connect ? badge(texts, connectBadge[connect.state]) : ''}</h2>
    <p class="${isStopped ? 'alert bad' : 'quiet'}">${t(`console.payments.connect_${state}`)}</p>
    ${connect && kind !== 'connect' ? facts([[t('console.payments.account'), connect.account]]) : ''}
    ${connect ? missingList(texts, connect.missing) : ''}
    ${isComplete || !connect_offered ? '' : form(visit, { action: connectPlace.path, content })}
  </section>`;
}

const connectBadge = {
  onboarding: 'pending',
  restricted: 'not_configured',
  active: 'configured',
  deauthorized: 'gone_account',
} as const;

function missingList({ t }: Texts, missing: readonly string[]): Html {
  if (missing.length === 0) return html``;
  return html`<div>
    <p>${t('console.payments.connectMissing')}</p>
    <ul>
      ${missing.map((name) => html`<li dir="ltr"><code>${name}</code></li>`)}
    </ul>
  </div>`;
}
