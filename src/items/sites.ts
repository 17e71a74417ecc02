import { type z } from 'zod';
import { getTenant } from '../oauthApps/clients';
import { getCaller } from '../accounts/tokens/callers';
import { environmentName } from '../adapters/settings';
import { storeProviderIds } from '../stores/stores';
import { type Caller, mayCall, openToActors, signedIn } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { feesOf, type Viewer } from './accessFees/accessFees';
import { type CardRow, findCards } from './items.model';
import { listCards, searchFilter, type Tenant } from './search';
import { getItemRow } from './items';
import { findOwnedItems } from './sites.model';
import { type PlanFacts, presentPlan, presentPrice } from './sites.presenter';
import { type SiteQuery } from './sites.schemas';

type Query = z.output<typeof SiteQuery>;
type Fee = NonNullable<ReturnType<Awaited<ReturnType<typeof feesOf>>['get']>>[number];

const defaultLength = 10;

/** A merchant's items with subscriptions on sale, newest first, with the prices in the visitor's country. */
export async function listPlans(siteId: string, query: Query, viewer: Viewer) {
  const tenant = await getTenant(siteId);
  const filter = { ...searchFilter(tenant), isActive: true, isPlan: true } as const;
  const { rows, total, page, limit } = await listCards(filter, rangeOf(query));
  const facts = await factsOf(rows, tenant, viewer);
  return { page, total, page_length: limit, plans: facts.map(presentPlan) };
}

/** The prices of a plan in the visitor's country, in the order of creation. */
export async function listPrices(siteId: string, planId: number, query: Query, viewer: Viewer) {
  const tenant = await getTenant(siteId);
  const item = await getItemRow(tenant.merchantId, planId);
  const fees = (await feesOf([{ item, merchantUuid: tenant.merchantUuid }], viewer)).get(planId) ?? [];
  const prices = fees.filter(isSubscription);
  const { page, limit, offset } = pageRange(rangeOf(query));
  const shown = prices.slice(offset, offset + limit);
  return { page, total: prices.length, page_length: limit, prices: shown.map(presentPrice) };
}

/** The items that the token's account has access to now, from any source. Without a valid token the list is empty. */
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

/** The endpoint is open to everybody, so it checks itself that somebody who acts as the account may read this. */
const owners = openToActors('items:read', signedIn());

/** Undefined without a valid token. */
async function findCaller({ bearer, clientAddress }: RequestFacts): Promise<Caller | undefined> {
  try {
    const caller = await getCaller(bearer, clientAddress);
    return mayCall(owners, caller) ? caller : undefined;
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

/** The models of free items. */
const accessModels: Record<string, 'authvod' | 'free'> = { Auth: 'authvod', DataCapture: 'free' };

const isSubscription = (fee: Fee): boolean => fee.access_type.name === 'subscription';

/** The store's id of the first price that has one. */
function nameAt(providerId: number, prices: readonly Fee[]): string | undefined {
  const names = prices.flatMap((fee) => fee.external_fees);
  return names.find(({ payment_provider_id: id }) => id === providerId)?.external_id;
}
