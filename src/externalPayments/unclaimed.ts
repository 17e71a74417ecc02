import { type StorePurchase } from '../adapters/appStores/store';
import { now } from '../adapters/clock';
import { type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { type NewEvent } from '../notifications/events';
import { type AdoptionAnswer, type UnclaimedPurchaseInput } from '../../workflows/messages';
import { matchProduct, type MatchedFee } from './productMapping';
import { claimedEvents, claimPurchase, describeClaimed, findAccountNamed, enqueueSync } from './purchases/purchases';
import { findStore, getSettings } from '../stores/stores';
import { findOwnerOf, findUnclaimed, lookLater, settleUnclaimed, type UnclaimedPurchase } from './unclaimed.model';

type Store = UnclaimedPurchaseInput['store'];

const unclaimed: AdoptionAnswer = { outcome: 'settled', isAdopted: false };

/**
 * Gives a purchase that no app has presented to the account that its store names: by the account token of the app, or
 * by the purchase that it replaces. Without such a name it waits until an app presents it.
 */
export async function adoptPurchase(input: UnclaimedPurchaseInput): Promise<AdoptionAnswer> {
  const answer = await findOwner(input);
  if (answer.outcome === 'settled') await settleUnclaimed(input);
  else await lookLater(input, answer.retryAfterMs / 1000);
  return answer;
}

/** Asks each merchant with the app, because one of them may have named the app of another. */
async function findOwner({ store, notificationId }: UnclaimedPurchaseInput): Promise<AdoptionAnswer> {
  const purchase = await findUnclaimed(store, notificationId);
  let answer: AdoptionAnswer = unclaimed;
  for (const merchantId of purchase?.merchantIds ?? []) {
    const own = purchase && (await findOwnerAt(merchantId, store, purchase));
    if (own?.outcome === 'unavailable') answer = own;
    else if (own?.isAdopted) return own;
  }
  return answer;
}

async function findOwnerAt(merchantId: number, store: Store, purchase: UnclaimedPurchase): Promise<AdoptionAnswer> {
  const opened = await findStore(merchantId, store);
  if (!opened) return unclaimed;
  const { originalId: id, lookUpId } = purchase;
  const reference = { id, environment: 'production', productId: '', transactionId: lookUpId ?? undefined } as const;
  const answer = await opened.lookUp(reference);
  if (answer.outcome === 'unavailable')
    return { outcome: 'unavailable', retryAfterMs: (answer.retryAfterSeconds ?? 0) * 1000 };
  if (answer.outcome !== 'found') return unclaimed;
  return giveToNamed(store, merchantId, answer.purchase);
}

async function giveToNamed(store: Store, merchantId: number, found: StorePurchase): Promise<AdoptionAnswer> {
  const { reference, state } = found;
  const settings = await getSettings(merchantId);
  const isWorthIt = state === 'active' || state === 'grace';
  if (!isWorthIt || (reference.environment === 'sandbox' && !settings.takesSandbox)) return unclaimed;
  const fee = await matchProduct(merchantId, { store, productId: reference.productId, kind: found.kind });
  if (!fee) return unclaimed;
  const queued = await transaction(async (inTransaction) => {
    const accountId = await findNamed(inTransaction, store, merchantId, found);
    if (accountId === undefined) return undefined;
    return give(inTransaction, { merchantId, accountId, fee, settings }, store, found);
  });
  if (!queued) return unclaimed;
  await sendNow(queued);
  return { outcome: 'settled', isAdopted: true };
}

async function findNamed(inTransaction: Transaction, store: Store, merchantId: number, found: StorePurchase) {
  const { accountUuid, replacesId } = found;
  const named = accountUuid === null ? undefined : await findAccountNamed(inTransaction, merchantId, accountUuid);
  return named ?? (replacesId === null ? undefined : await findOwnerOf(inTransaction, store, merchantId, replacesId));
}

async function give(
  inTransaction: Transaction,
  to: { merchantId: number; accountId: number; fee: MatchedFee; settings: Awaited<ReturnType<typeof getSettings>> },
  store: Store,
  found: StorePurchase,
): Promise<OutboxRow | undefined> {
  const claimant = {
    ...to,
    claimEvents: (row: Parameters<typeof describeClaimed>[0], facts: Parameters<typeof describeClaimed>[1]) =>
      row.isOpen ? adoptionEvents(row, describeClaimed(row, facts, now())) : [],
  };
  const claimed = await claimPurchase(inTransaction, claimant, store, found);
  if (claimed.outcome === 'already_claimed') return undefined;
  return enqueueSync(inTransaction, claimed.row, 'adopted');
}

/** The same events as of a claim that succeeded, under the purchase's own token, because there is no claim. */
function adoptionEvents(
  { accountId, token, kind }: Parameters<typeof describeClaimed>[0],
  payment: ReturnType<typeof describeClaimed>,
): NewEvent[] {
  return claimedEvents({ accountId, token, dedupeKey: `${token}:adopted` }, kind, payment);
}
