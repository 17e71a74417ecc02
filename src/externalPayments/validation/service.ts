import { type ReceiptClaim, type StoreAnswer, type StorePurchase } from '../../adapters/appStores/store';
import { now } from '../../adapters/clock';
import { type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { unseal } from '../../adapters/sealing';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { type ClaimAnswer } from '../../../workflows/messages';
import { claimedFee, matchClaim, type MatchedFee } from '../matching/service';
import { ExternalPayment } from '../model';
import { findLookUpId } from '../notifications/service';
import { claimedEvents, claimPurchase, describeClaimed, isLiving, promiseLook } from '../purchases/service';
import { findStore, getSettings } from '../stores/service';
import { presentFailures } from './presenter';

export const claimPurpose = 'external-payment';

/** What is not paid yet is asked about again, and given up after a month. */
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
  unknownProduct: { reason: 'unknown_product', message: 'What was bought is nothing of this merchant.' },
  alreadyClaimed: { reason: 'already_claimed', message: 'This purchase belongs to another account.' },
} as const satisfies Record<string, Failure>;

/** What a purchase that gives no access now is told as, by its state. */
const unservedMessages: Record<string, string> = {
  on_hold: 'The store has not been paid for the present period.',
  paused: 'The subscription is paused.',
  revoked: 'The store has taken this purchase back.',
};

/** Asks the store about a claim and settles it; or says when to ask again. Settled, it is not asked a second time. */
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
  const fee = await matchClaim(merchantId, store, found.reference.productId, claim);
  if (!fee) return fail(claim, failures.unknownProduct, found);
  let queued: OutboxRow | undefined;
  const answer = await settle(claim, async (inTransaction, locked) => {
    let failure: Failure | undefined;
    const claimed = await claimPurchase(
      inTransaction,
      {
        ...{ merchantId, accountId, fee, settings },
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
    const { row } = claimed;
    const lookUpId = await findLookUpId(inTransaction, store, row.originalId);
    if (lookUpId !== undefined) await row.update({ lookUpId }, { transaction: inTransaction });
    queued = await promiseLook(inTransaction, row, `claim:${locked.token}:${locked.attempt}`);
    return { failure, storePurchaseId: row.id };
  });
  if (queued) await sendNow(queued);
  return answer;
}

const unservedMessage = (state: string) => unservedMessages[state] ?? 'The purchase has ended.';

async function fail(claim: ExternalPayment, failure: Failure, found?: StorePurchase): Promise<ClaimAnswer> {
  const fee = await claimedFee(claim.merchantId, claim.store, claim);
  const isSubscription = found ? found.kind === 'subscription' : fee?.accessType === 'subscription';
  return settle(claim, async (inTransaction, locked) => {
    const events = failureEvents(locked, failure, { fee, isSubscription });
    if (await isLiving(inTransaction, locked.accountId)) await publish(inTransaction, locked.merchantId, events);
    return { failure };
  });
}

/** In one transaction with its events, once; from here on nothing is left of the receipt. */
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
  const told = { reason: failure?.reason ?? null, message: failure?.message ?? null };
  const settled = {
    sealedClaim: null,
    settledAt: new Date(),
    ...(storePurchaseId !== undefined && { storePurchaseId }),
  };
  await locked.update({ state, ...told, ...settled }, { transaction: inTransaction });
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
  ];
}
