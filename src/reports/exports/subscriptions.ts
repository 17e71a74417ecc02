import { toMajor } from '../../billing/money';
import { type Caller } from '../../kit/auth';
import { showStoreSubscriptions } from '../../subscriptions/inStores';
import { readSortedTokens } from '../../subscriptions/subscriptions';
import { asReportPart } from '../replicas';
import { exportSorts } from './exports.schemas';
import { byId, type ExportFilter, sortedBy } from './lists';
import { type ListedInStore, type ListFilter, selectCardSubscriptions, selectStoreSubscriptions } from './sales.model';

/** The export of subscriptions: in the order of the list, or card subscriptions first and then those of app stores. */
export async function* readSubscriptions({ merchantId }: Caller, asked: ExportFilter): AsyncGenerator<object[]> {
  const { sort, order, account_id: accountId, item_id: itemId, status } = sortedBy(exportSorts.subscriptions, asked);
  const isWithoutUnpaid = asked.never_paid === false;
  const filter = { merchantId, accountId, itemId, status, isWithoutUnpaid, tokens: asked.ids };
  if (sort === undefined && order === undefined) {
    for await (const rows of byId(asReportPart((limit, after) => selectCardSubscriptions(filter, limit, after))))
      yield describeOnCards(rows);
    for await (const rows of byId(asReportPart((limit, after) => selectStoreSubscriptions(filter, limit, after))))
      yield await describeInStores(rows);
    return;
  }
  for await (const tokens of readSortedTokens(filter, { sort, order })) yield await readThese({ ...filter, tokens });
}

/** The subscriptions with these tokens, in their order. A subscription whose state has changed meanwhile is left out. */
async function readThese(filter: ListFilter & { tokens: readonly string[] }): Promise<object[]> {
  const { tokens } = filter;
  const onCards = describeOnCards(await selectCardSubscriptions(filter, tokens.length, undefined));
  const inStores = await describeInStores(await selectStoreSubscriptions(filter, tokens.length, undefined));
  const rows = new Map([...onCards, ...inStores].map((row) => [row.subscription_id, row]));
  return tokens.flatMap((token) => rows.get(token) ?? []);
}

type OnCard = Awaited<ReturnType<typeof selectCardSubscriptions>>[number];

const describeOnCards = (rows: readonly OnCard[]) =>
  rows.map((row) => ({ ...row, price: toMajor(row.price, row.currency) }));

async function describeInStores(rows: readonly ListedInStore[]) {
  const shown = await showStoreSubscriptions(rows.map(({ token }) => token));
  return rows.flatMap(({ token, email, countryIso }) => {
    const row = shown.get(token);
    if (!row) return [];
    const { subscription_price: price, access_type: of } = row;
    return [{ ...row, email, country_iso: countryIso, price, period_quantity: of.quantity, period: of.period }];
  });
}
