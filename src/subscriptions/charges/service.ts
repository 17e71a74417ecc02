import { cardProvider, sandbox } from '../../adapters/cardProviders';
import { type ChargeResult } from '../../adapters/cardProviders/provider';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import { holdVoucher } from '../../vouchers/uses/service';
import {
  paymentAnsweredSignal,
  paymentWorkflowId,
  subscriptionWorkflowId,
  type ChargeInput,
  type ChargeOutcome,
  type VoidInput,
} from '../../../workflows/messages';
import { formatAmount } from '../billing/money';
import { firstAmount } from '../lifecycle/steps/service';
import {
  Charge,
  findMerchantOfCharge,
  getPriceTerms,
  getPurchase,
  openCharge,
  settleCharge,
  type ChargeState,
  type OpenedCharge,
  type Purchase,
  type Settlement,
} from './model';
import { presentPaymentAction, presentSubscriptionAction } from './presenter';

export { findMerchantOfCharge, type Purchase };

/** Charges once: the key is the charge's name at the provider, and a settled charge only answers. */
export async function chargeCycle(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await open(input);
  if (!charge) return nobodysCharge;
  return tellingOfVoucher(charge, await sendCharge(charge, input));
}

/** A run that names no amount asks for the first: less the voucher's discount, and with the setup fee. */
async function open(input: ChargeInput): Promise<OpenedCharge | undefined> {
  if ('paymentId' in input) return openCharge(input);
  const { amountMinor = firstAmount(await getPriceTerms(input.subscriptionId)) } = input;
  return openCharge({ ...input, amountMinor });
}

async function sendCharge(charge: OpenedCharge, input: ChargeInput): Promise<ChargeOutcome> {
  if (charge.status !== 'open') return outcomeOf(charge);
  if (charge.accountIsErased) return giveUp(charge, input);
  // A use that has lapsed and is taken by others was never charged for: it is held before the first try.
  if (charge.hasVoucher && !(await holdVoucher(charge.purchaseToken))) return refuse(charge, voucherGone);
  if (charge.amountMinor === 0) return settle(charge, { outcome: 'paid', reference: '' }, input);
  if (charge.cardToken === null) return refuse(charge, cardMissing);
  const earlier = isForgotten(charge) ? await lookUp(charge) : undefined;
  if (earlier && earlier.outcome !== 'not_sent') return settle(charge, earlier, input);
  const result = await cardProvider.charge({
    idempotencyKey: charge.idempotencyKey,
    token: charge.cardToken,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    isRenewal: charge.isRenewal,
    description: `${charge.kind === 'payment' ? 'Payment' : 'Subscription'} ${charge.purchaseToken}`,
    ...(charge.returnUrl !== null && { returnUrl: comingBack(charge.kind, charge.returnUrl) }),
  });
  return settle(charge, result, input);
}

/** Providers keep a key for a day: what is older is looked up before it is sent again. */
const keptMs = 20 * 3_600_000;
const isForgotten = ({ isNew, openedAt }: OpenedCharge) => !isNew && Date.now() - openedAt.getTime() > keptMs;

const knownOf = ({ reference, cardToken: token, openedAt }: OpenedCharge) => ({ reference, token, openedAt });
const lookUp = (charge: OpenedCharge) => cardProvider.lookUpCharge(charge.idempotencyKey, knownOf(charge));
const giveUpAtProvider = (charge: OpenedCharge) => cardProvider.voidCharge(charge.idempotencyKey, knownOf(charge));

/** The page learns from `ippwat` what it comes back from (wire E.1). */
function comingBack(kind: OpenedCharge['kind'], returnUrl: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('ippwat', kind === 'payment' ? 'ppv' : 'subscription');
  return url.href;
}

/** Asks the provider what became of a charge: after an answer that was lost, and after an authentication. */
export async function lookUpCharge(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await open(input);
  if (!charge) return nobodysCharge;
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  const outcome = await settle(charge, await lookUp(charge), input);
  return tellingOfVoucher(charge, outcome);
}

/** Who waits for the payer keeps others from the voucher's use. */
function tellingOfVoucher(charge: OpenedCharge, outcome: ChargeOutcome): ChargeOutcome {
  return outcome.outcome === 'requires_action' && charge.hasVoucher ? { ...outcome, holdsVoucher: true } : outcome;
}

/** Nothing is sent to the provider for an account that is being erased; what was sent before that stays what it is. */
async function giveUp(charge: OpenedCharge, input: ChargeInput): Promise<ChargeOutcome> {
  if (charge.isNew) return refuse(charge, accountGone);
  const result = await giveUpAtProvider(charge);
  return result.outcome === 'not_sent' ? refuse(charge, accountGone) : settle(charge, result, input);
}

/** What we refuse ourselves, and the provider never hears of. */
async function refuse(charge: OpenedCharge, why: Settlement): Promise<ChargeOutcome> {
  return outcomeOf(await settleCharge(charge, why));
}

const voucherGone: Settlement = {
  status: 'declined',
  declineReason: 'voucher_expired',
  declineMessage: 'Voucher not found',
  declineClass: 'hard',
};

const cardMissing: Settlement = {
  status: 'declined',
  declineReason: 'card_needed',
  declineMessage: 'A card is needed.',
  declineClass: 'hard',
};

const accountGone: Settlement = {
  status: 'declined',
  declineReason: 'account_erased',
  declineMessage: 'The account was erased.',
  declineClass: 'hard',
};

/** Nothing was charged before the account was erased, and nothing will be. */
const nobodysCharge: ChargeOutcome = {
  outcome: 'declined',
  reason: 'account_erased',
  message: 'The account was erased.',
  decline: 'hard',
};

const neverSent: Settlement = {
  status: 'declined',
  declineReason: 'provider_unavailable',
  declineMessage: 'The payment could not be made.',
  declineClass: 'later',
};

/** The reconciliation goes on asking: what turns out to be paid is given back. */
const silent: Settlement = { ...neverSent, declineReason: 'provider_silent' };

/** Nobody waits any longer: what is approved after this is not charged, and what was never sent is not sent any more. */
export async function voidCharge(input: VoidInput): Promise<ChargeOutcome> {
  const charge = await open(input);
  if (!charge) return nobodysCharge;
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  const result = await giveUpAtProvider(charge);
  if (result.outcome === 'not_sent') return refuse(charge, neverSent);
  if (input.isLast && (result.outcome === 'unknown' || result.outcome === 'pending')) return refuse(charge, silent);
  return settle(charge, result, input);
}

/** The payer comes back from an authentication: the workflow is told to look, unless it has the answer already. */
export async function confirmPayment(caller: Caller, reference: string, requestId: string): Promise<Purchase> {
  const charge = await Charge.findOne({ where: { reference, merchantId: caller.merchantId } });
  const purchase = charge && (await getPurchase(charge.id));
  if (purchase?.accountId !== caller.accountId) throw new AppError('payment_not_found');
  if (charge?.status === 'requires_action') await tellWorkflow(purchase, reference, requestId);
  return purchase;
}

/** A payment is submitted once more while it waits for its payer: the app is told again where to send them. */
export async function askAgain(paymentId: number, requestId: string, inTransaction: Transaction): Promise<void> {
  const charge = await Charge.findOne({ where: { paymentId, status: 'requires_action' }, transaction: inTransaction });
  if (!charge?.reference || !charge.redirectUrl) return;
  const { reference, redirectUrl } = charge;
  await tellAction(
    charge.id,
    `${charge.idempotencyKey}:action:${requestId}`,
    { reference, redirectUrl },
    inTransaction,
  );
}

/** What the sandbox's page shows; a charge that no longer waits is not found. */
export async function getSandboxAuthentication(reference: string) {
  const found = await sandbox.findAuthentication(reference);
  if (!found) throw new AppError('payment_not_found');
  return { description: found.description, amount: formatAmount(found.amountMinor, found.currency) };
}

/** The sandbox plays the customer's bank, and then the provider that tells us of its answer. */
export async function answerSandboxAuthentication(
  reference: string,
  answer: 'approved' | 'refused',
  requestId: string,
): Promise<string | undefined> {
  const returnUrl = await sandbox.answerAuthentication(reference, answer);
  const charge = await Charge.findOne({ where: { reference } });
  if (charge) await tellWorkflow(await getPurchase(charge.id), reference, requestId);
  return returnUrl;
}

async function tellWorkflow(purchase: Purchase, reference: string, requestId: string): Promise<void> {
  await sendNow(await transaction((inTransaction) => promiseAnswer(inTransaction, purchase, reference, requestId)));
}

/** The word to a purchase's workflow that its payer, or the provider, has answered: it looks the charge up. */
export function promiseAnswer(
  inTransaction: Transaction,
  purchase: Purchase,
  reference: string,
  requestId: string,
): Promise<OutboxRow> {
  const { id, kind, token, merchantId, itemId, state } = purchase;
  const about = {
    messageId: `${token}:answered:${reference}`,
    signal: paymentAnsweredSignal,
    labels: { merchantId, itemId, state, requestId, summary: '' },
  };
  return kind === 'payment'
    ? enqueue(inTransaction, {
        ...about,
        workflow: 'payment',
        workflowId: paymentWorkflowId(token),
        input: { paymentId: id },
      })
    : enqueue(inTransaction, {
        ...about,
        workflow: 'subscription',
        workflowId: subscriptionWorkflowId(token),
        input: { subscriptionId: id },
      });
}

/** Writes what the provider said, and tells the payer when it is asked to authenticate. */
async function settle(charge: OpenedCharge, result: ChargeResult, input: ChargeInput): Promise<ChargeOutcome> {
  if (result.outcome === 'not_sent') return { outcome: 'not_sent' };
  if (result.outcome === 'unknown' || result.outcome === 'pending') return { outcome: 'unknown' };
  if (result.outcome !== 'requires_action') return outcomeOf(await settleCharge(charge, settled(result, input)));
  return transaction(async (inTransaction) => {
    const after = await settleCharge(charge, settled(result, input), inTransaction);
    if (after.isWritten && charge.status === 'open' && !mustSettle(input))
      await tellAction(charge.id, `${charge.idempotencyKey}:action`, result, inTransaction);
    return outcomeOf(after);
  });
}

const mustSettle = (input: ChargeInput) => 'mustSettle' in input && input.mustSettle === true;

type Action = Extract<ChargeResult, { outcome: 'requires_action' }>;
type Known = Extract<ChargeResult, { outcome: 'paid' | 'declined' }> | Action;

/** Without an instant of the input's, it is settled at the merchant's present. */
function settled(result: Known, input: ChargeInput): Settlement {
  const atMs = 'paymentId' in input ? undefined : input.atMs;
  const settledAt = atMs === undefined ? null : new Date(atMs);
  if (result.outcome === 'paid') return { status: 'paid', reference: result.reference, settledAt };
  if (result.outcome === 'requires_action')
    return { status: 'requires_action', reference: result.reference, redirectUrl: result.redirectUrl };
  const { reason, message, decline } = result;
  return { status: 'declined', declineReason: reason, declineMessage: message, declineClass: decline, settledAt };
}

function outcomeOf(charge: ChargeState): ChargeOutcome {
  if (charge.status === 'paid') return { outcome: 'paid' };
  if (charge.status === 'requires_action') return { outcome: 'requires_action' };
  if (charge.status === 'open') return { outcome: 'unknown' };
  const { declineReason, declineMessage, declineClass } = charge;
  return {
    outcome: 'declined',
    reason: declineReason ?? 'declined',
    message: declineMessage ?? '',
    decline: declineClass ?? 'soft',
  };
}

async function tellAction(
  chargeId: number,
  dedupeKey: string,
  action: Pick<Action, 'reference' | 'redirectUrl'>,
  inTransaction: Transaction,
): Promise<void> {
  const purchase = await getPurchase(chargeId, inTransaction);
  const { accountId, merchantId } = purchase;
  await publish(inTransaction, merchantId, [
    purchase.kind === 'payment'
      ? {
          type: 'payment.card.requires.action',
          accountId,
          dedupeKey,
          resource: presentPaymentAction(purchase, action),
        }
      : {
          type: 'subscribe.requires.action',
          accountId,
          dedupeKey,
          resource: presentSubscriptionAction(purchase, action),
        },
  ]);
}
