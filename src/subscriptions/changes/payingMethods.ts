import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { findRedirectName, findWalletName, type MethodName } from '../../kit/paymentMethods';
import { findDefault } from '../cards.model';
import { getLatestMandate } from '../methods/mandates';
import { findPlanMismatch, notOffered, refuseMethod, refuseNamed } from '../methods/methods';
import { getProvider } from '../provider/providers';
import { beginOnPage } from '../setups/pageMethods';
import { refuseUnconfirmedChange } from '../savedCards';
import { type Subscription } from '../subscriptions.model';
import { changeNow, getLiving } from './changes';
import { type MethodBody } from './changes.schemas';
import { unlessKnown } from './requests';

/** The change of the payment method of one subscription. Other subscriptions of the customer keep theirs. */

/**
 * Charges the saved card or the authorised bank account from now on. An overdue amount is charged immediately. For iDEAL,
 * Bancontact and PayPal, the answer has the page on which the payer agrees.
 */
export async function changePaymentMethod(
  caller: Caller,
  token: string,
  { payment_method: method, return_url: returnUrl }: z.output<typeof MethodBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token, { isOwn: true });
  await refuseNamed(caller, method);
  if (findWalletName(method))
    throw notOffered(method, 'Save its card with the payment form, and name the method Card.');
  const mismatch = await findPlanMismatch(row, method);
  if (mismatch !== undefined) throw notOffered(method, mismatch);
  const onPage = findRedirectName(method);
  if (onPage) return beginOnPage(caller, row, { method: onPage, returnUrl }, request);
  const change = { kind: 'useCard', cardId: await findSaved(caller, row, method) } as const;
  await unlessKnown(row, change, request, () =>
    refuseUnconfirmedChange(caller, { accountId: row.accountId, cardId: change.cardId }, request),
  );
  return changeNow(caller, row, { change, request, done: 'The payment method is changed' });
}

/** The id of the card or of the mandate that the customer has saved. Throws `missing_parameter` without one. */
async function findSaved(caller: Caller, { currency }: Subscription, method: MethodName): Promise<number> {
  if (method === 'direct_debit') return (await getLatestMandate(caller)).id;
  const provider = await getProvider(caller.merchantId);
  const card = await findDefault(caller.accountId, provider.name, currency);
  if (card) {
    await refuseMethod(caller, card.method);
    return card.id;
  }
  const errors = {
    payment_method: 'The payment_method needs a card: save one at PUT /v2/payments/cards/default first.',
  };
  throw new AppError('missing_parameter', { errors });
}
