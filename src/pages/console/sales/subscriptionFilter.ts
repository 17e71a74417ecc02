import { z } from 'zod';
import { html, type Html } from '../../../kit/html';
import { type Complaint } from '../../layout/explain';
import { complaints, select, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { listQuery, type MerchantVisit, orderQuery } from '../frame';
import { keptOrder } from '../lists';
import { saleFieldNames, saleFields } from './saleFilter';

/** The filter of the list of subscriptions: the state, the item, and the customer. */

export const living = ['active', 'trialing', 'past_due', 'on_hold', 'paused'] as const;
const ended = ['canceled', 'expired', 'revoked', 'incomplete', 'incomplete_expired'] as const;

export const FilteredQuery = z.object({
  ...listQuery,
  ...orderQuery,
  status: z.string().optional(),
  item_id: z.string().optional(),
  customer: z.string().optional(),
});
type Sent = z.output<typeof FilteredQuery>;

/** Attempts that were never paid are shown only on request: a list of subscriptions would be full of declined cards. */
export const stateFilter = (status = ''): Record<string, string> =>
  status === '' ? { never_paid: 'false' } : { status };

export async function filterForm(
  visit: MerchantVisit,
  texts: Texts,
  { status, item_id, customer, ...order }: Sent,
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  const states = [...living, ...ended].map((state) => [state, t(`console.states.${state}`)] as const);
  const usual = t('console.subscriptions.allExcept', { state: t('console.states.incomplete_expired') });
  const choices = [['', usual] as const, ...states];
  const fields = await saleFields(visit, texts, { item_id, customer }, complaint);
  return html`<form method="get" action="/console/subscriptions" class="card filters">
    ${complaints(texts, complaint, { status: t('console.fields.state'), ...saleFieldNames(texts) })}
    ${select(texts, { name: 'status', value: status, label: t('console.fields.state'), choices, complaint, isFilter: true })}
    ${fields} ${keptOrder(order)} ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

/** A link to the attempts of a customer that were never paid. */
export function unpaidLink({ t }: Texts, customerId: string, count: number): Html {
  const query = new URLSearchParams({ status: 'incomplete_expired', customer: customerId });
  return html`<p class="small">
    <a href="/console/subscriptions?${query.toString()}">${t('console.subscriptions.unpaid', { count })}</a>
  </p>`;
}
