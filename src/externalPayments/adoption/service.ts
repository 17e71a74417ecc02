import { type StorePurchase } from '../../adapters/appStores/store';
import { now } from '../../adapters/clock';
import { type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type NewEvent } from '../../notifications/events';
import { type AdoptionAnswer, type UnclaimedPurchaseInput } from '../../../workflows/messages';
import { matchProduct, type MatchedFee } from '../matching/service';
import { claimedEvents, claimPurchase, describeClaimed, findAccountNamed, promiseLook } from '../purchases/service';
import { findStore, getSettings } from '../stores/service';
import { findOwnerOf, findUnclaimed, type ToldPurchase } from './model';

type Store = UnclaimedPurchaseInput['store'];

const unclaimed: AdoptionAnswer = { outcome: 'settled', isAdopted: false };

/**
 * Gives a purchase that no app has presented to the account that its store names: by what the app said when it bought, or
 * by the purchase whose place it takes. Where nobody is named it waits, as any other, for who presents it.
 */
export async function adoptPurchase({ store, notificationId }: UnclaimedPurchaseInput): Promise<AdoptionAnswer> {
  const told = await findUnclaimed(store, notificationId);
  const opened = told && (await findStore(told.merchantId, store));
  if (!opened) return unclaimed;
  const { originalId: id, lookUpId } = told;
  const reference = { id, environment: 'production', productId: '', transactionId: lookUpId ?? undefined } as const;
  const answer = await opened.lookUp(reference);
  if (answer.outcome === 'unavailable')
    return { outcome: 'unavailable', retryAfterMs: (answer.retryAfterSeconds ?? 0) * 1000 };
  if (answer.outcome !== 'found') return unclaimed;
  return giveToNamed(store, told, answer.purchase);
}

async function giveToNamed(store: Store, { merchantId }: ToldPurchase, found: StorePurchase): Promise<AdoptionAnswer> {
  const { reference, state } = found;
  const settings = await getSettings(merchantId);
  const isWorthIt = state === 'active' || state === 'grace';
  if (!isWorthIt || (reference.environment === 'sandbox' && !settings.takesSandbox)) return unclaimed;
  const fee = await matchProduct(merchantId, store, reference.productId);
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
  return promiseLook(inTransaction, claimed.row, 'adopted');
}

/** As of a claim that succeeded, under the purchase's own name: nobody has claimed it. */
function adoptionEvents(
  { accountId, token, kind }: Parameters<typeof describeClaimed>[0],
  payment: ReturnType<typeof describeClaimed>,
): NewEvent[] {
  return claimedEvents({ accountId, token, dedupeKey: `${token}:adopted` }, kind, payment);
}
