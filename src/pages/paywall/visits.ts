import { countVisit, type EventInput } from '../../analytics/service';
import { type Visit } from '../../kit/pages/page';
import { type Item } from './parts';

/** What a visitor does at the paywall, for the merchant's funnel; the same again on one day counts once. */
export async function count(
  { visit, item }: { visit: Visit; item: Pick<Item, 'id' | 'merchant_id'> },
  ...types: EventInput['type'][]
): Promise<void> {
  if (visit.isOff('analytics')) return;
  const about = { item_id: item.id, session_id: visit.visitorName };
  await Promise.all(types.map((type) => countVisit(item.merchant_id, { ...about, type }, visit.request)));
}
