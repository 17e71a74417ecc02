import { type z } from 'zod';
import { getTenant } from '../../accounts/oauthApps/service';
import { getCaller } from '../../accounts/tokens/callers/service';
import { environmentName } from '../../adapters/settings';
import { storeProviderIds } from '../../externalPayments/stores/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { pageRange } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { feesOf, type Viewer } from '../accessFees/service';
import { type CardRow, findCards } from '../model';
import { listCards, searchFilter, type Tenant } from '../search/service';
import { getItemRow } from '../service';
import { findOwnedItems } from './model';
import { type PlanFacts, presentPlan, presentPrice } from './presenter';
import { type SiteQuery } from './schemas';

type Query = z.output<typeof SiteQuery>;
type Fee = NonNullable<ReturnType<Awaited<ReturnType<typeof feesOf>>['get']>>[number];

const defaultLength = 10;

/** A merchant's items that can be subscribed to, newest first, each with its prices where the visitor is. */
export async function listPlans(siteId: string, query: Query, viewer: Viewer) {
  const tenant = await getTenant(siteId);
  const filter = { ...searchFilter(tenant), isActive: true, isPlan: true } as const;
  const { rows, total, page, limit } = await listCards(filter, rangeOf(query));
  const facts = await factsOf(rows, tenant, viewer);
  return { page, total, page_length: limit, plans: facts.map(presentPlan) };
}

/** What a plan costs where the visitor is, in the order the fees were made. */
export async function listPrices(siteId: string, planId: number, query: Query, viewer: Viewer) {
  const tenant = await getTenant(siteId);
  const item = await getItemRow(tenant.merchantId, planId);
  const fees = (await feesOf([{ item, merchantUuid: tenant.merchantUuid }], viewer)).get(planId) ?? [];
  const prices = fees.filter(isSubscription);
  const { page, limit, offset } = pageRange(rangeOf(query));
  const shown = prices.slice(offset, offset + limit);
  return { page, total: prices.length, page_length: limit, prices: shown.map(presentPrice) };
}

/** What the token's account has access to now, whatever it came from. Nobody who is signed out owns anything. */
export async function listEntitlements(siteId: string, query: Query, request: RequestFacts) {
  const tenant = await getTenant(siteId);
  const { page, limit, offset } = pageRange(rangeOf(query));
  const caller = await findCaller(request);
  if (!caller) return { page, total: 0, page_length: limit, plans: [] };
  const owner = { accountId: caller.accountId, merchantId: tenant.merchantId };
  const { rows, total } = await findOwnedItems(owner, environmentName, { limit, offset });
  const cards = new Map((await findCards(rows.map(({ itemId }) => itemId))).map((card) => [card.id, card]));
  const owned = rows.flatMap(({ itemId }) => cards.get(itemId) ?? []);
  const ends = new Map(rows.map(({ itemId, endsAt }) => [itemId, unixSeconds(endsAt)]));
  const facts = await factsOf(owned, tenant, request);
  const plans = facts.map((plan) => ({ ...presentPlan(plan), exp: ends.get(plan.item.id) ?? 0 }));
  return { page, total, page_length: limit, plans };
}

const rangeOf = ({ page, page_length: size = defaultLength }: Query) => ({ page, size });

/** Undefined with no token and with a dead one. */
async function findCaller({ bearer, clientAddress }: RequestFacts): Promise<Caller | undefined> {
  try {
    return await getCaller(bearer, clientAddress);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function factsOf(items: readonly CardRow[], { merchantUuid }: Tenant, viewer: Viewer): Promise<PlanFacts[]> {
  const fees = await feesOf(
    items.map((item) => ({ item, merchantUuid })),
    viewer,
  );
  return items.map((item) => {
    const prices = (fees.get(item.id) ?? []).filter(isSubscription);
    return {
      item,
      accessModel: accessModels[item.accessControlType] ?? 'svod',
      priceIds: prices.map(({ id }) => id),
      apple: nameAt(storeProviderIds.apple, prices),
      google: nameAt(storeProviderIds['google-play'], prices),
    };
  });
}

/** Where nobody pays for the item. */
const accessModels: Record<string, 'authvod' | 'free'> = { Auth: 'authvod', DataCapture: 'free' };

const isSubscription = (fee: Fee): boolean => fee.access_type.name === 'subscription';

/** What a store calls the first price that it has a name for. */
function nameAt(providerId: number, prices: readonly Fee[]): string | undefined {
  const names = prices.flatMap((fee) => fee.external_fees);
  return names.find(({ payment_provider_id: id }) => id === providerId)?.external_id;
}
