import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { type MethodName } from '../../kit/paymentMethods';
import { findDefault } from '../cards.model';
import { getLatestMandate } from '../methods/mandates';
import { paysNoRunning, refuseMethod, refuseMisfit } from '../methods/methods';
import { getProvider } from '../provider/providers';
import { getPlan } from '../plans';
import { type Subscription } from '../subscriptions.model';
import { changeNow, getLiving } from './changes';
import { type MethodBody } from './changes.schemas';

/** The change of the payment method of one subscription. Other subscriptions of the customer keep theirs. */

/** Charges the saved card or the authorised bank account from now on. An overdue amount is charged immediately. */
export async function changePaymentMethod(
  caller: Caller,
  token: string,
  { payment_method: method }: z.output<typeof MethodBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token, { isOwn: true });
  await refuseUnfit(caller, row, method);
  const change = { kind: 'useCard', cardId: await findSaved(caller, row, method) } as const;
  return changeNow(caller, row, { change, request, done: 'The payment method is changed' });
}

async function refuseUnfit(caller: Caller, row: Subscription, method: MethodName): Promise<void> {
  await refuseMethod(caller, method);
  if (method !== 'card' && method !== 'direct_debit') throw paysNoRunning(method);
  const { currency, periodQuantity: quantity, period, pendingAccessFeeId } = row;
  refuseMisfit(method, { currency, accessType: 'subscription', quantity, period });
  if (pendingAccessFeeId === null) return;
  const plan = await getPlan(row.merchantId, pendingAccessFeeId);
  refuseMisfit(method, { ...plan, accessType: 'subscription' });
}

/** The id of the card or of the mandate that the customer has saved. Throws `missing_parameter` without one. */
async function findSaved(caller: Caller, { currency }: Subscription, method: MethodName): Promise<number> {
  if (method === 'direct_debit') return (await getLatestMandate(caller)).id;
  const provider = await getProvider(caller.merchantId);
  const card = await findDefault(caller.accountId, provider.name, currency);
  if (card) return card.id;
  const errors = {
    payment_method: 'The payment_method needs a card: save one at PUT /v2/payments/cards/default first.',
  };
  throw new AppError('missing_parameter', { errors });
}
