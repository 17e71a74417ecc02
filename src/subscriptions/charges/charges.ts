import { type ChargeResult, type MisconfiguredOutcome } from '../../adapters/cardProviders/provider';
import { merchantTime } from '../../adapters/clock';
import { transaction } from '../../adapters/postgres/connection';
import { type UndecidedTax } from '../../tax/chargeTaxes';
import { holdVoucher } from '../../vouchers/uses';
import { type ChargeInput, type ChargeOutcome, type VoidInput } from '../../../workflows/messages';
import { reportFault, settleFault } from '../provider/providerFaults';
import { getProviderOf } from '../provider/providers';
import { publishAction } from './actions';
import { feeOf } from './applicationFees';
import { findCardBlock } from './cardLimits';
import { writeRefusal, type Settlement } from './charges.model';
import { type OpenedCharge } from './opening.model';
import { openCharge } from './opening';
import { confirmationUrl } from './links';
import { outcomeOf } from './outcomes';
import { saveSettlement, settleAndCount } from './settling';
import { debitOf, followDebit, withAccess } from './processing';
import { declineText, redirectOf } from './redirects';
import { returnUrlOf } from './returnUrls';
import {
  accountGone,
  cardMissing,
  declined,
  debitGivenUp,
  declineOfUnsent,
  neverAnswered,
  neverSent,
  voucherGone,
} from './refusals';

/**
 * Charges at most once: the provider knows the charge by its idempotency key, and a settled charge only returns its
 * outcome. `tryNo` is above 1 if an earlier call with the same input may have reached the provider.
 */
export async function chargeCycle(input: ChargeInput, tryNo = 1): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if ('outcome' in charge) return charge;
  const isSurelyUnsent = charge.isNew || (input.isUnsent === true && tryNo === 1);
  // A charge that may have been sent is looked up instead.
  if (mustWait(charge)) return { outcome: isSurelyUnsent ? 'misconfigured' : 'unknown' };
  const outcome = await sendCharge(charge, input);
  if ((outcome.outcome === 'not_sent' || outcome.outcome === 'misconfigured') && !isSurelyUnsent)
    return { outcome: 'unknown' };
  return withAccess(charge, await withClock(charge, withVoucherHold(charge, outcome)));
}

/** Customers of a suspended merchant cannot use what they pay for, so their renewals wait, as without a card provider. */
const mustWait = ({ merchantIsSuspended, isRenewal, status, accountIsErased }: OpenedCharge) =>
  merchantIsSuspended && isRenewal && status === 'open' && !accountIsErased;

async function sendCharge(
  charge: OpenedCharge & { undecided?: UndecidedTax },
  input: ChargeInput,
): Promise<ChargeOutcome> {
  if (charge.status !== 'open') return outcomeOf(charge);
  if (charge.accountIsErased) return giveUp(charge, input);
  // The voucher is held before the first request, because a lapsed reservation may now belong to another customer.
  if (charge.hasVoucher && !(await holdVoucher(charge.purchaseToken))) return refuse(charge, voucherGone);
  if (charge.amountMinor === 0) return settle(charge, { outcome: 'paid', reference: '' }, input);
  // A payment on a page that has made no mandate and no agreement pays for no renewal.
  if (charge.cardToken === null || (charge.isRenewal && charge.redirect !== null)) return refuse(charge, cardMissing);
  const earlier = mayBePaid(charge) ? await lookUpEarlier(charge, input) : undefined;
  if (earlier && earlier.outcome !== 'not_sent') return settle(charge, earlier, input);
  const block = charge.isNew ? await findBlock(charge, input) : undefined;
  if (block) return refuse(charge, declined(block.reason, block.message, 'hard'));
  if (charge.undecided) return settle(charge, charge.undecided, input);
  const provider = await getProviderOf(charge);
  const result = await provider.charge({
    ...(await debitOf(charge, input)),
    idempotencyKey: charge.idempotencyKey,
    token: charge.cardToken,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    isOffSession: charge.isRenewal && !isOnSession(input),
    refusalNo: charge.refusalNo,
    paidTo: { merchantId: charge.merchantId, accountId: charge.accountId },
    description: `${charge.kind === 'payment' ? 'Payment' : 'Subscription'} ${charge.purchaseToken}`,
    ...(charge.returnUrl !== null && { returnUrl: returnUrlOf(charge.kind, charge.returnUrl) }),
    ...(await feeOf(charge, provider)),
    ...redirectOf(charge),
  });
  return settle(charge, result, input);
}

/** The limits apply to renewals only: at a first purchase the payer is present and tries a card once. */
function findBlock({ cardId, isRenewal }: OpenedCharge, input: ChargeInput) {
  if (!isRenewal || 'paymentId' in input) return undefined;
  return findCardBlock({ cardId, subscriptionId: input.subscriptionId, cycle: input.cycle });
}

/** Providers keep an idempotency key for a day, so an older charge is looked up before it is sent again. */
const keptMs = 20 * 3_600_000;
const isForgotten = ({ isNew, openedAt }: OpenedCharge) => !isNew && Date.now() - openedAt.getTime() > keptMs;

/** After a restore the provider may know a charge that is new in the database. */
const mayBePaid = (charge: OpenedCharge) => isForgotten(charge) || charge.isRestored;

/**
 * Without `openedAt`, the provider's answer "not sent" is final: no earlier request for a new charge can still arrive.
 */
async function lookUpEarlier(charge: OpenedCharge, input: ChargeInput) {
  const { openedAt, ...known } = { ...knownOf(charge), ...(await debitOf(charge, input)) };
  const provider = await getProviderOf(charge);
  return provider.lookUpCharge(charge.idempotencyKey, charge.isNew ? known : { ...known, openedAt });
}

const knownOf = ({ reference, cardToken: token, openedAt, isRenewal }: OpenedCharge) => {
  return { reference, token, openedAt, isInteractive: !isRenewal };
};

async function lookUp(charge: OpenedCharge, input: ChargeInput): Promise<ChargeResult> {
  const known = { ...knownOf(charge), ...(await debitOf(charge, input)) };
  return (await getProviderOf(charge)).lookUpCharge(charge.idempotencyKey, known);
}

async function giveUpAtProvider(charge: OpenedCharge, input: ChargeInput): Promise<ChargeResult> {
  const known = { ...knownOf(charge), ...(await debitOf(charge, input)) };
  return (await getProviderOf(charge)).voidCharge(charge.idempotencyKey, known);
}

/** Asks the provider for the outcome of a charge, after a lost answer or an authentication. */
export async function lookUpCharge(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if ('outcome' in charge) return charge;
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  const outcome = await settle(charge, await lookUp(charge, input), input);
  return withAccess(charge, withVoucherHold(charge, outcome));
}

/** Keeps the voucher for this customer while a charge waits for its payer. */
function withVoucherHold(charge: OpenedCharge, outcome: ChargeOutcome): ChargeOutcome {
  return outcome.outcome === 'requires_action' && charge.hasVoucher ? { ...outcome, holdsVoucher: true } : outcome;
}

/** The run of a one-time payment reads the merchant's clock here. The run of a subscription has read it before. */
async function withClock({ kind, merchantId }: OpenedCharge, outcome: ChargeOutcome): Promise<ChargeOutcome> {
  if (outcome.outcome !== 'requires_action' || kind !== 'payment') return outcome;
  const { aheadMs } = await merchantTime(merchantId);
  return aheadMs === 0 ? outcome : { ...outcome, aheadMs };
}

/** An account that is being erased is not charged. A charge that was sent before the erasure keeps its outcome. */
async function giveUp(charge: OpenedCharge, input: ChargeInput): Promise<ChargeOutcome> {
  if (charge.isNew) return refuse(charge, accountGone);
  const result = await giveUpAtProvider(charge, input);
  if (result.outcome === 'processing') return refuse(charge, debitGivenUp);
  return result.outcome === 'not_sent' ? refuse(charge, accountGone) : settle(charge, result, input);
}

/** Declines the charge without a request to the provider. */
async function refuse(charge: OpenedCharge, why: Settlement): Promise<ChargeOutcome> {
  return outcomeOf(await settleAndCount(charge, why));
}

/** Gives a charge up: a later approval does not charge, and an unsent charge is never sent. */
export async function voidCharge(input: VoidInput): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if ('outcome' in charge) return charge;
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  if (input.unsent && charge.status === 'open') return refuse(charge, declineOfUnsent[input.unsent]);
  const result = await giveUpAtProvider(charge, input);
  if (result.outcome === 'not_sent') return refuse(charge, neverSent);
  if (result.outcome === 'processing') return refuse(charge, debitGivenUp);
  if (input.isLast && (result.outcome === 'unknown' || result.outcome === 'pending'))
    return refuse(charge, neverAnswered);
  return settle(charge, result, input);
}

/** Saves the provider's answer, and publishes the page where the payer authenticates. */
async function settle(charge: OpenedCharge, result: ChargeResult, input: ChargeInput): Promise<ChargeOutcome> {
  if (result.outcome === 'not_sent') return { outcome: 'not_sent' };
  if (result.outcome === 'unknown' || result.outcome === 'pending') return { outcome: 'unknown' };
  if (result.outcome === 'misconfigured') return saveFault(charge, result);
  if (charge.refusalCode !== null) await settleFault(charge, charge.refusalCode);
  if (result.outcome === 'processing') return followDebit(charge, result.reference);
  if (result.outcome !== 'requires_action')
    return outcomeOf(await saveSettlement(charge, settlementOf(charge, result, input)));
  return ask(charge, { ...result, redirectUrl: result.redirectUrl ?? confirmationUrl(charge.id) }, input);
}

/** Asks the payer to authenticate. An absent payer continues on a page of ours. */
function ask(charge: OpenedCharge, action: Required<Action>, input: ChargeInput): Promise<ChargeOutcome> {
  return transaction(async (inTransaction) => {
    const after = await settleAndCount(charge, settlementOf(charge, action, input), inTransaction);
    if (after.isWritten && charge.status === 'open' && !mustSettle(input))
      await publishAction(charge.id, `${charge.idempotencyKey}:action`, action, inTransaction);
    return outcomeOf(after);
  });
}

async function saveFault(charge: OpenedCharge, { fault, isKept }: MisconfiguredOutcome): Promise<ChargeOutcome> {
  await writeRefusal(charge, fault.code, isKept);
  await reportFault(charge, fault);
  return { outcome: 'misconfigured' };
}

const isOnSession = (input: ChargeInput) => 'isOnSession' in input && input.isOnSession === true;

const mustSettle = (input: ChargeInput) => 'mustSettle' in input && input.mustSettle === true;

type Action = Extract<ChargeResult, { outcome: 'requires_action' }>;
type KnownOutcome = Extract<ChargeResult, { outcome: 'paid' | 'declined' }> | Required<Action>;

/** The charge is settled at the time of the input, or at the merchant's current time. */
function settlementOf(charge: OpenedCharge, result: KnownOutcome, input: ChargeInput): Settlement {
  const atMs = 'paymentId' in input ? undefined : input.atMs;
  const settledAt = atMs === undefined ? null : new Date(atMs);
  if (result.outcome === 'paid') {
    const { reference, cardToken, lastFour } = result;
    const replaced = cardToken !== undefined && { cardToken, ...(lastFour !== undefined && { lastFour }) };
    return { status: 'paid', reference, settledAt, ...replaced };
  }
  if (result.outcome === 'requires_action')
    return { status: 'requires_action', reference: result.reference, redirectUrl: result.redirectUrl };
  const { reason, decline } = result;
  const declineMessage = declineText(charge, result);
  return { status: 'declined', declineReason: reason, declineMessage, declineClass: decline, settledAt };
}
