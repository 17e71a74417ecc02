import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { refuseForbiddenMethod } from '../accounts/followers/service';
import { cardProvider } from '../adapters/cardProviders';
import { environmentName } from '../adapters/settings';
import { enqueue, type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { getSellableFee, type SellableFee } from '../items/accessFees/service';
import { type Caller } from '../kit/auth';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { formatAmount, toMajor } from './billing/money';
import { type CardInput } from './cards/schemas';
import { findDefaultCard, saveCard, tokeniseCard } from './cards/service';
import { confirmPayment } from './charges/service';
import { findLiveSubscription, recordTransition, Subscription } from './model';
import { presentSubscription } from './presenter';
import { type SubmittedResponse, type SubscribeBody, type SubscriptionQuery } from './schemas';

type SubscribeInput = z.output<typeof SubscribeBody>;

/** The one method so far (decisions 6). */
const cardMethodId = 1;

/**
 * Submits a subscription: what can be refused is refused here; the payment and everything after it belong to the
 * subscription's workflow, whose start is committed with the row.
 */
export async function createSubscription(caller: Caller, input: SubscribeInput, request: RequestFacts) {
  if (input.pi_id !== undefined) return submitted(await confirmPayment(caller, input.pi_id, request.requestId));
  const sellable = await getSubscribableFee(caller, input);
  if (input.voucher_code !== undefined) throw new AppError('voucher_not_found');
  await refuseForbiddenMethod(caller.merchantId, cardMethodId);
  await refuseSecondSubscription(caller, sellable.itemId);
  const pay = await readPayment(caller, input);
  const { row, queued } = await refusingRace(() =>
    transaction(async (inTransaction) => {
      const row = await insertSubscription(caller, input, sellable, await pay(inTransaction), inTransaction);
      return { row, queued: await promiseWorkflow(row, request.requestId, inTransaction) };
    }),
  );
  await sendNow(queued);
  return submitted(row);
}

export async function getSubscription(caller: Caller, token: string) {
  const scope = caller.role === 'merchant' ? {} : { accountId: caller.accountId };
  const row = await Subscription.findOne({
    where: { token, merchantId: caller.merchantId, ...scope },
    include: shownWith,
  });
  if (!row) throw new AppError('subscription_not_found');
  return present(row);
}

/** Newest first: clients take the first row of an item (wire B.7). */
export async function listSubscriptions(caller: Caller, query: z.output<typeof SubscriptionQuery>) {
  const { page, limit, offset } = pageRange(query);
  const isMerchant = caller.role === 'merchant';
  const accountId = isMerchant ? query.account_id : caller.accountId;
  const { rows, count } = await Subscription.findAndCountAll({
    where: {
      merchantId: caller.merchantId,
      ...(accountId !== undefined && { accountId }),
      ...(query.item_id !== undefined && { itemId: query.item_id }),
      ...(query.status !== undefined && { state: query.status }),
    },
    include: shownWith,
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total: count, page, offset, limit, collection: rows.map(present) };
}

const shownWith = ['item', 'accessFee', 'card'];

function present(row: Subscription) {
  const { priceMinor, currency } = row;
  return presentSubscription(row, {
    major: toMajor(priceMinor, currency),
    formatted: formatAmount(priceMinor, currency),
  });
}

function submitted(row: Subscription): Answer<z.output<typeof SubmittedResponse>> {
  const text = 'Submitted for payment';
  const body = { code: 202 as const, message: text, explain: text, subscription_id: row.token, status: row.state };
  return new Answer(body, { headers: { Location: `/subscriptions/${row.token}` } });
}

async function getSubscribableFee(caller: Caller, input: SubscribeInput): Promise<SellableFee> {
  const feeId = input.access_fee ?? input.access_fee_id;
  if (feeId === undefined)
    throw new AppError('missing_parameter', { errors: { access_fee: 'The access_fee must not be empty.' } });
  const sellable = await getSellableFee(caller.merchantId, feeId);
  if (sellable.accessType === 'subscription') return sellable;
  throw new AppError('invalid_input', { errors: { access_fee: 'The access_fee must be of the type subscription.' } });
}

async function refuseSecondSubscription(caller: Caller, itemId: number): Promise<void> {
  const live = await findLiveSubscription(caller.accountId, itemId);
  if (live) throw new AppError('already_has_access', { explain: `The subscription ${live.token} is ${live.state}.` });
}

/** Tokenises a typed card outside the transaction, and answers how to have the paying card's id inside it. */
async function readPayment(caller: Caller, input: SubscribeInput) {
  const card = typedCard(input);
  if (card) {
    const token = await tokeniseCard(card);
    return (inTransaction: Transaction) => saveCard(inTransaction, caller, token);
  }
  const known = await findDefaultCard(caller);
  if (!known) throw new AppError('missing_parameter', { errors: { number: 'The number must not be empty.' } });
  return () => Promise.resolve(known.id);
}

function typedCard(input: SubscribeInput): CardInput | undefined {
  const { number, card_name, exp_month, exp_year, cvv } = input;
  if (number === undefined) return undefined;
  const rest = { card_name, exp_month, exp_year, cvv };
  if (card_name !== undefined && exp_month !== undefined && exp_year !== undefined && cvv !== undefined)
    return { number, card_name, exp_month, exp_year, cvv };
  const absent = Object.entries(rest).filter(([, value]) => value === undefined);
  const errors = Object.fromEntries(absent.map(([name]) => [name, `The ${name} must not be empty.`]));
  throw new AppError('missing_parameter', { errors });
}

async function insertSubscription(
  caller: Caller,
  input: SubscribeInput,
  fee: SellableFee,
  cardId: number,
  inTransaction: Transaction,
): Promise<Subscription> {
  const { merchantId, accountId } = caller;
  const row = await Subscription.create(
    {
      token: `S-${randomBytes(16).toString('base64url').replaceAll(/[-_]/g, 'x')}-${cardProvider.suffix}`,
      merchantId,
      accountId,
      itemId: fee.itemId,
      accessFeeId: fee.id,
      cardId,
      state: 'incomplete',
      priceMinor: fee.amountMinor,
      setupFeeMinor: fee.setupFeeMinor ?? 0,
      currency: fee.currency,
      periodQuantity: fee.quantity,
      period: fee.period,
      environment: environmentName,
      referrer: input.referrer ?? '',
      returnUrl: input.return_url ?? null,
      ipAddress: caller.clientAddress,
    },
    { transaction: inTransaction },
  );
  await recordTransition(inTransaction, {
    merchantId,
    subscriptionId: row.id,
    sequence: 1,
    fromState: null,
    toState: 'incomplete',
    reason: 'submitted',
    actor: `account:${accountId}`,
    workflowRunId: null,
  });
  return row;
}

function promiseWorkflow(row: Subscription, requestId: string, inTransaction: Transaction): Promise<OutboxRow> {
  const workflowId = subscriptionWorkflowId(row.token);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'subscription',
    workflowId,
    input: { subscriptionId: row.id },
    labels: {
      merchantId: row.merchantId,
      itemId: row.itemId,
      state: row.state,
      requestId,
      summary: `${formatAmount(row.priceMinor, row.currency)} every ${row.periodQuantity} ${row.period}, item ${row.itemId}`,
    },
  });
}

/** Two requests may both have seen no live subscription: the constraint lets one in. */
async function refusingRace<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error) === 'subscriptions_live') throw new AppError('already_has_access');
    throw error;
  }
}
