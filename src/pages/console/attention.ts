import { mayCall } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { disputeEndpoints } from '../../subscriptions/provider/disputes.endpoints';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { icon, type IconName } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { type MerchantVisit } from './frame';

/** What a merchant should look at, each with the page that shows it. */

interface Matter {
  sign: IconName;
  kind: 'bad' | 'warn' | 'note';
  text: string;
  hint: string;
  address: string;
}

export async function attention(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t } = texts;
  if (!mayCall(subscriptionEndpoints.listSubscriptions.auth, visit.caller)) return html``;
  const lines = (await mattersOf(visit, texts)).map(
    ({ sign, kind, text, hint, address }) =>
      html`<li>
        <span class="sign ${kind}">${icon(sign)}</span>
        <span><a class="strong" href="${address}">${text}</a><span class="quiet small">${hint}</span></span>
      </li>`,
  );
  const none = html`<p class="calm">
    <span class="sign good">${icon('check')}</span><span class="quiet">${t('console.overview.calm')}</span>
  </p>`;
  return html`<section class="card stack attention">
    <h2>${t('console.overview.attention')}</h2>
    ${
      lines.length === 0
        ? none
        : html`<ul>
            ${lines}
          </ul>`
    }
  </section>`;
}

async function mattersOf(visit: MerchantVisit, { t }: Texts): Promise<Matter[]> {
  const totalOf = async (status: string) =>
    (await visit.call(subscriptionEndpoints.listSubscriptions, { query: { status, limit: 1 } })).total;
  const overdue = await totalOf('past_due');
  const held = await totalOf('on_hold');
  const { collection } = await visit.call(disputeEndpoints.listDisputes, { query: {} });
  // Disputes are few, so those of the first page are all that can still be answered.
  const disputed = collection.filter(({ status }) => status === 'needs_response').length;
  const subscriptions = '/console/subscriptions?status=';
  const matters = [
    [overdue, { sign: 'warning', kind: 'bad', name: 'overdueNow', address: `${subscriptions}past_due` }],
    [held, { sign: 'clock', kind: 'warn', name: 'heldNow', address: `${subscriptions}on_hold` }],
    [disputed, { sign: 'dispute', kind: 'note', name: 'disputedNow', address: '/console/transactions/disputes' }],
  ] as const;
  return matters
    .filter(([count]) => count > 0)
    .map(([count, { name, ...shown }]) => ({
      ...shown,
      text: t(`console.overview.${name}`, { count }),
      hint: t(`console.overview.${name}Hint`),
    }));
}
