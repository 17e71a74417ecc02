import { html, type Html } from '../../kit/html';
import { balanceEndpoints } from '../../subscriptions/balances/movements.endpoints';
import { type Portal } from './frame';

/** The credit and debt of the customer, and how they are used. Empty if the customer has neither. */
export async function balanceCard({ visit, texts }: Portal): Promise<Html> {
  const { t, money } = texts;
  const { collection } = await visit.call(balanceEndpoints.listOwnBalances);
  const lines = collection
    .filter(({ balance }) => balance !== 0)
    .map(({ balance, currency }) => {
      const amount = money(Math.abs(balance), currency);
      return html`<p>${t(`portal.balance.${balance > 0 ? 'credit' : 'debt'}`, { amount })}</p>`;
    });
  if (lines.length === 0) return html``;
  return html`<section class="card tight">
    <h2>${t('portal.balance.title')}</h2>
    ${lines}
  </section>`;
}
