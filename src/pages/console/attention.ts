import { namesOf } from '../../accounts/registeredUsers';
import { type Auth, mayCall, merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { countUndelivered } from '../../mail/undelivered';
import { disputeEndpoints } from '../../subscriptions/provider/disputes.endpoints';
import { findFault } from '../../subscriptions/provider/providerFaults';
import { countOpenUnmatched } from '../../subscriptions/provider/unmatched';
import { countOpenDifferences } from '../../subscriptions/settlement/differences';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { listRemovedNumbers } from '../../tax/removedNumbers';
import { findWebhookFaults } from '../../webhooks/webhooks';
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

/** Reads the matters of one kind. Only a person who may open their page is shown them. */
interface Source {
  auth: Auth;
  feature?: string;
  read: (visit: MerchantVisit, texts: Texts) => Promise<Matter[]>;
}

/** What was given up earlier can no longer be sent again, and is left out. */
const recentDays = 7;

const sources: readonly Source[] = [
  { auth: subscriptionEndpoints.listSubscriptions.auth, read: unpaid },
  { auth: merchant('settings:write'), read: refusedCharges },
  { auth: merchant('payments:read'), read: unmatchedMoney },
  { auth: merchant('settings:write'), feature: 'webhooks', read: faultyWebhooks },
  { auth: merchant('accounts:read'), read: undeliveredMails },
  { auth: merchant('accounts:read'), read: removedTaxNumbers },
];

export async function attention(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t } = texts;
  const readable = sources.filter(({ auth, feature = '' }) => mayCall(auth, visit.caller) && !visit.isOff(feature));
  if (readable.length === 0) return html``;
  const matters = await Promise.all(readable.map(({ read }) => read(visit, texts)));
  const lines = matters.flat().map(
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

type MatterName =
  | 'overdueNow'
  | 'heldNow'
  | 'disputedNow'
  | 'unmatchedNow'
  | 'differentNow'
  | 'disabledNow'
  | 'undeliveredNow'
  | 'secretEnds'
  | 'unmailedNow';

interface Counted extends Pick<Matter, 'sign' | 'kind' | 'address'> {
  name: MatterName;
  count: number;
}

/** The matters whose count is not 0. */
const present = ({ t }: Texts, counted: readonly Counted[]): Matter[] =>
  counted
    .filter(({ count }) => count > 0)
    .map(({ name, count, ...shown }) => ({
      ...shown,
      text: t(`console.overview.${name}`, { count }),
      hint: t(`console.overview.${name}Hint`),
    }));

async function unpaid(visit: MerchantVisit, texts: Texts): Promise<Matter[]> {
  const totalOf = async (status: string) =>
    (await visit.call(subscriptionEndpoints.listSubscriptions, { query: { status, limit: 1 } })).total;
  const overdue = await totalOf('past_due');
  const held = await totalOf('on_hold');
  const { collection } = await visit.call(disputeEndpoints.listDisputes, { query: {} });
  // Disputes are few, so those of the first page are all that can still be answered.
  const disputed = collection.filter(({ status }) => status === 'needs_response').length;
  const listed = '/console/subscriptions?status=';
  const disputes = '/console/transactions/disputes';
  return present(texts, [
    { name: 'overdueNow', count: overdue, sign: 'warning', kind: 'bad', address: `${listed}past_due` },
    { name: 'heldNow', count: held, sign: 'clock', kind: 'warn', address: `${listed}on_hold` },
    { name: 'disputedNow', count: disputed, sign: 'dispute', kind: 'note', address: disputes },
  ]);
}

async function refusedCharges({ caller }: MerchantVisit, { t }: Texts): Promise<Matter[]> {
  const hint = await findFault(caller.merchantId);
  if (hint === undefined) return [];
  const text = t('console.overview.refusesNow');
  return [{ sign: 'error', kind: 'bad', text, hint, address: '/console/settings/payments' }];
}

async function unmatchedMoney({ caller }: MerchantVisit, texts: Texts): Promise<Matter[]> {
  const { merchantId } = caller;
  const unmatched = await countOpenUnmatched(merchantId);
  const differences = await countOpenDifferences(merchantId);
  const list = '/console/transactions';
  return present(texts, [
    { name: 'unmatchedNow', count: unmatched, sign: 'transactions', kind: 'bad', address: `${list}/unmatched` },
    { name: 'differentNow', count: differences, sign: 'transactions', kind: 'warn', address: `${list}/differences` },
  ]);
}

async function faultyWebhooks({ caller }: MerchantVisit, texts: Texts): Promise<Matter[]> {
  const { disabled, givenUp, givenUpBy, endingSecrets } = await findWebhookFaults(caller.merchantId, recentDays);
  const address = '/console/settings/webhooks';
  const log = givenUpBy === null ? address : `${address}/${givenUpBy}?find=failed`;
  return present(texts, [
    { name: 'disabledNow', count: disabled, sign: 'error', kind: 'bad', address },
    { name: 'undeliveredNow', count: givenUp, sign: 'warning', kind: 'warn', address: log },
    { name: 'secretEnds', count: endingSecrets, sign: 'lock', kind: 'note', address },
  ]);
}

async function undeliveredMails({ caller }: MerchantVisit, texts: Texts): Promise<Matter[]> {
  const count = await countUndelivered(caller, recentDays);
  return present(texts, [
    { name: 'unmailedNow', count, sign: 'mail', kind: 'warn', address: '/console/customers/emails' },
  ]);
}

/** The customers whose next charge has tax. Each leads to its customer; the newest are enough. */
async function removedTaxNumbers({ caller }: MerchantVisit, { t }: Texts): Promise<Matter[]> {
  const removed = await listRemovedNumbers(caller, 5);
  const names = await namesOf(
    caller,
    removed.map(({ accountId }) => accountId),
  );
  return removed.map(({ accountId, taxNumber: number }) => ({
    ...({ sign: 'warning', kind: 'warn', address: `/console/customers/${accountId}` } as const),
    text: t('console.overview.numberRemoved', { name: names.get(accountId)?.name ?? '' }),
    hint: t('console.overview.numberRemovedHint', { number }),
  }));
}
