import { countVisit, type EventInput } from '../../analytics/analytics';
import { type Visit } from '../../kit/pages/page';
import { type Item } from './parts';

/** Counts the steps of a visitor for the merchant's funnel. A repeated step counts once a day. */
export async function count(
  { visit, item }: { visit: Visit; item: Pick<Item, 'id' | 'merchant_id'> },
  ...types: EventInput['type'][]
): Promise<void> {
  if (visit.isOff('analytics')) return;
  const about = { item_id: item.id, session_id: visit.visitorName };
  await Promise.all(types.map((type) => countVisit(item.merchant_id, { ...about, type }, visit.request)));
}
