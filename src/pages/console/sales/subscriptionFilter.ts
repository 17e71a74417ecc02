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

export async function filterForm(
  visit: MerchantVisit,
  texts: Texts,
  { status, item_id, customer, ...order }: Sent,
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  const states = [...living, ...ended].map((state) => [state, t(`console.states.${state}`)] as const);
  const choices = [['', t('console.all')] as const, ...states];
  const fields = await saleFields(visit, texts, { item_id, customer }, complaint);
  return html`<form method="get" action="/console/subscriptions" class="card filters">
    ${complaints(texts, complaint, { status: t('console.fields.state'), ...saleFieldNames(texts) })}
    ${select(texts, { name: 'status', value: status, label: t('console.fields.state'), choices, complaint, isFilter: true })}
    ${fields} ${keptOrder(order)} ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}
