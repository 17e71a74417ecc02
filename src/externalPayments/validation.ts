import { type ReceiptClaim, type StoreAnswer, type StorePurchase } from '../adapters/appStores/store';
import { now } from '../adapters/clock';
import { type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { unseal } from '../adapters/sealing';
import { type NewEvent } from '../notifications/events';
import { publish } from '../notifications/publish';
import { type ClaimAnswer } from '../../workflows/messages';
import { claimedFee, findFee, matchClaim, type MatchedFee } from './productMapping';
import { ExternalPayment } from './externalPayments.model';
import { findLookUpId } from './notifications';
import {
  type Claimed,
  claimedEvents,
  claimPurchase,
  describeClaimed,
  findFeeOfPurchase,
  isLiving,
  enqueueSync,
} from './purchases/purchases';
import { findStore, getSettings, type Settings } from '../stores/stores';
import { presentFailures } from './validation.presenter';

export const claimPurpose = 'external-payment';

/** The wait between checks of an unpaid claim. It is given up after one month. */
const unpaidMs = 30_000;
const unpaidMaxMs = 30 * 86_400_000;

interface Failure {
  reason: string;
  message: string;
}

const failures = {
  notConfigured: { reason: 'store_credentials', message: 'The purchase cannot be checked: the store is not set up.' },
  unreadable: { reason: 'invalid_receipt', message: 'The receipt must be presented again.' },
  takenBack: { reason: 'revoked', message: 'The store has taken this purchase back.' },
  sandbox: { reason: 'wrong_environment', message: 'This is a test purchase, which opens nothing here.' },
  unpaid: { reason: 'not_paid', message: 'The purchase was never paid for.' },
  unknown_product: { reason: 'unknown_product', message: 'No access fee on sale is mapped to this product.' },
  wrong_kind: {
    reason: 'wrong_kind',
    message: 'The product and its access fee differ: one is a subscription, the other is bought once.',
  },
  alreadyClaimed: { reason: 'already_claimed', message: 'This purchase belongs to another account.' },
} as const satisfies Record<string, Failure>;

/** The error messages for purchases that give no access now, by state. */
const unservedMessages: Record<string, string> = {
  on_hold: 'The store has not been paid for the present period.',
  paused: 'The subscription is paused.',
  revoked: 'The store has taken this purchase back.',
};

/**
 * Validates a claim with its store and settles it, or returns when to ask again. A settled claim is not validated a
 * second time.
 */
export async function validateClaim(externalPaymentId: number): Promise<ClaimAnswer> {
  const claim = await ExternalPayment.findByPk(externalPaymentId, { rejectOnEmpty: true });
  if (claim.state !== 'pending') return { outcome: 'settled', state: claim.state };
  const answer = await askStore(claim);
  switch (answer.outcome) {
    case 'unavailable':
      return { outcome: 'unavailable', retryAfterMs: (answer.retryAfterSeconds ?? 0) * 1000 };
    case 'refused':
      return fail(claim, answer);
    case 'taken_back':
      return fail(claim, failures.takenBack);
    case 'found':
      return settleFound(claim, answer.purchase);
  }
}

async function askStore(claim: ExternalPayment): Promise<StoreAnswer> {
  const text = claim.sealedClaim ? unseal(claimPurpose, claim.sealedClaim) : undefined;
  if (text === undefined) return { outcome: 'refused', ...failures.unreadable };
  const store = await findStore(claim.merchantId, claim.store);
  if (!store) return { outcome: 'refused', ...failures.notConfigured };
  return store.validate(JSON.parse(text) as ReceiptClaim);
}

async function settleFound(claim: ExternalPayment, found: StorePurchase): Promise<ClaimAnswer> {
  if (found.state === 'pending') {
    if (now().getTime() - claim.createdAt.getTime() > unpaidMaxMs) return fail(claim, failures.unpaid);
    return { outcome: 'unpaid', retryAfterMs: unpaidMs };
  }
  const settings = await getSettings(claim.merchantId);
  if (found.reference.environment === 'sandbox' && !settings.takesSandbox) return fail(claim, failures.sandbox);
  const { merchantId, accountId, store } = claim;
  const fee = await feeOf(claim, found, settings);
  if (typeof fee === 'string') return fail(claim, failures[fee], found);
  let queued: OutboxRow | undefined;
  const answer = await settle(claim, async (inTransaction, locked) => {
    let failure: Failure | undefined;
    const claimed = await claimPurchase(
      inTransaction,
      {
        merchantId,
        accountId,
        fee,
        settings,
        claimEvents: (row, facts) => {
          if (row.isOpen) return successEvents(locked, row.kind, describeClaimed(row, facts, now()));
          failure = { reason: row.state === 'active' ? 'expired' : row.state, message: unservedMessage(row.state) };
          return failureEvents(locked, failure, { fee, isSubscription: row.kind === 'subscription' });
        },
      },
      store,
      found,
    );
    if (claimed.outcome === 'already_claimed') {
      const isSubscription = found.kind === 'subscription';
      await publish(inTransaction, merchantId, failureEvents(locked, failures.alreadyClaimed, { fee, isSubscription }));
      return { failure: failures.alreadyClaimed };
    }
    queued = await followPurchase(inTransaction, claimed.row, locked);
    return { failure, storePurchaseId: claimed.row.id };
  });
  if (queued) await sendNow(queued);
  return answer;
}

type ClaimedRow = Extract<Claimed, { outcome: 'held' }>['row'];

/** Keeps the id by which the store is asked about the purchase, and queues the first check. */
async function followPurchase(inTransaction: Transaction, row: ClaimedRow, claim: ExternalPayment): Promise<OutboxRow> {
  const lookUpId = await findLookUpId(inTransaction, claim.store, row.originalId);
  if (lookUpId !== undefined) await row.update({ lookUpId }, { transaction: inTransaction });
  return enqueueSync(inTransaction, row, `claim:${claim.token}:${claim.attempt}`);
}

/** A purchase that the merchant already has keeps its fee, whatever its product is called now. */
async function feeOf(claim: ExternalPayment, found: StorePurchase, settings: Settings) {
  const { merchantId, store } = claim;
  const heldId = await findFeeOfPurchase(merchantId, store, found.reference.id);
  const held = heldId === undefined ? undefined : await findFee(merchantId, heldId);
  return held ?? matchClaim(merchantId, store, found, claim, settings);
}

const unservedMessage = (state: string) => unservedMessages[state] ?? 'The purchase has ended.';

async function fail(claim: ExternalPayment, failure: Failure, found?: StorePurchase): Promise<ClaimAnswer> {
  const fee = await claimedFee(claim.merchantId, claim.store, found?.kind, claim);
  const isSubscription = found ? found.kind === 'subscription' : fee?.accessType === 'subscription';
  return settle(claim, async (inTransaction, locked) => {
    const events = failureEvents(locked, failure, { fee, isSubscription });
    if (await isLiving(inTransaction, locked.accountId)) await publish(inTransaction, locked.merchantId, events);
    return { failure };
  });
}

/** Settles a claim once, with its events, and deletes the receipt. */
function settle(
  { id }: ExternalPayment,
  work: (
    inTransaction: Transaction,
    locked: ExternalPayment,
  ) => Promise<{ failure: Failure | undefined; storePurchaseId?: number }>,
): Promise<ClaimAnswer> {
  return transaction(async (inTransaction) => {
    const lock = inTransaction.LOCK.UPDATE;
    const locked = await ExternalPayment.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
    if (locked.state !== 'pending') return { outcome: 'settled', state: locked.state };
    if (!(await isLiving(inTransaction, locked.accountId))) return close(inTransaction, locked, erased, undefined);
    const { failure, storePurchaseId } = await work(inTransaction, locked);
    return close(inTransaction, locked, failure, storePurchaseId);
  });
}

const erased: Failure = { reason: 'account_erased', message: 'The account is being erased.' };

async function close(
  inTransaction: Transaction,
  locked: ExternalPayment,
  failure: Failure | undefined,
  storePurchaseId: number | undefined,
): Promise<ClaimAnswer> {
  const state = failure ? 'failed' : 'succeeded';
  const outcome = { reason: failure?.reason ?? null, message: failure?.message ?? null };
  const settled = {
    sealedClaim: null,
    settledAt: new Date(),
    ...(storePurchaseId !== undefined && { storePurchaseId }),
  };
  await locked.update({ state, ...outcome, ...settled }, { transaction: inTransaction });
  return { outcome: 'settled', state };
}

function successEvents(
  { token, attempt, accountId }: ExternalPayment,
  kind: 'subscription' | 'one_time',
  payment: ReturnType<typeof describeClaimed>,
): NewEvent[] {
  return claimedEvents({ accountId, token, dedupeKey: `${token}:${attempt}:success` }, kind, payment);
}

function failureEvents(
  claim: ExternalPayment,
  failure: Failure,
  { fee, isSubscription }: { fee: MatchedFee | undefined; isSubscription: boolean },
): NewEvent[] {
  const { token, attempt, accountId } = claim;
  const about = { accountId, dedupeKey: `${token}:${attempt}:failed` };
  const named = { accessFeeId: fee?.id ?? claim.accessFeeId ?? 0, itemId: fee?.itemId ?? 0 };
  const { external, subscribe } = presentFailures(claim, failure, named);
  const failed: NewEvent = { ...about, type: 'external.payment.failed', resource: external };
  if (!isSubscription) return [failed];
  return [
    failed,
    { ...about, dedupeKey: `${about.dedupeKey}:subscribe`, type: 'subscribe.failed', resource: subscribe },
    { ...about, dedupeKey: `${about.dedupeKey}:store`, type: 'external.subscribe.failed', resource: subscribe },
  ];
}
