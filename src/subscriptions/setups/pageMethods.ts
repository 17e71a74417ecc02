import { redirectMethods, type RedirectMethod } from '../../adapters/cardProviders/redirects';
import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { redirectTitles } from '../../kit/paymentMethods';
import { changeNow, getLiving } from '../changes/changes';
import { presentWaitingMethod } from '../changes/changes.presenter';
import { findPlanMismatch, notOffered } from '../methods/methods';
import { prepareRedirect } from '../methods/redirects';
import { getProvider } from '../provider/providers';
import { liveStates, type Subscription } from '../subscriptions.model';
import { settleSetup } from './settling';
import { findSetupOfReference, type CardSetup } from './setups.model';
import { answerOf, pageOf, saveSetup } from './setups';

/**
 * A running subscription that changes to iDEAL, Bancontact or PayPal. The payer agrees to later charges on a page, which
 * charges nothing. The subscription keeps its present method until then.
 */

/** The page on which the payer agrees. `returnUrl`: the page to which it returns the browser. */
export async function beginOnPage(
  caller: Caller,
  row: Subscription,
  { method, returnUrl }: { method: RedirectMethod; returnUrl: string | undefined },
  { userAgent = 'unknown' }: RequestFacts,
) {
  if (!liveStates.some((state) => state === row.state))
    throw new AppError('subscription_state', { explain: 'The subscription has ended.' });
  const { merchantId, accountId } = caller;
  const { token, provider, save } = await prepareRedirect(caller, method);
  const account = await getProvider(merchantId);
  if (!account.setUpOnPage) throw notOffered(method);
  const acceptedFrom = { address: caller.clientAddress, userAgent };
  const result = await account.setUpOnPage(token, { method, acceptedFrom, returnUrl });
  const answer = await answerOf({ merchantId, provider }, result);
  if (!('waits' in answer)) throw new Error(`${method} was set up without its page`);
  const action = await transaction(async (inTransaction) => {
    const cardId = await save(inTransaction);
    const setup = { merchantId, accountId, cardId, changedSubscriptionId: row.id };
    return saveSetup(inTransaction, setup, answer.waits);
  });
  return presentWaitingMethod(row, action);
}

/** Continues after the page: returns after the change, or throws the reason why it failed. It can be repeated. */
export async function continueOnPage(caller: Caller, token: string, reference: string, request: RequestFacts) {
  const row = await getLiving(caller, token, { isOwn: true });
  const setup = await findSetupOfReference(reference, caller.merchantId);
  if (setup?.changedSubscriptionId !== row.id) throw new AppError('payment_not_found');
  const settled = await settleSetup(setup, request.requestId);
  if (settled.status === 'requires_action') return presentWaitingMethod(row, { reference, redirectUrl: pageOf(setup) });
  if (settled.status === 'declined') throw notAgreed(declineTextOf(settled));
  const { cardId, method } = setup;
  const mismatch = await findPlanMismatch(row, method);
  if (mismatch !== undefined) throw notOffered(method, mismatch);
  const change = { kind: 'useCard', cardId } as const;
  // The same change was stored with the outcome: its id makes both the same request.
  const named = { ...request, idempotencyKey: String(cardId) };
  return changeNow(caller, row, { change, request: named, done: 'The payment method is changed' });
}

const notAgreed = (text: string) => new AppError('payment_failed', { explain: text, errors: { payment_method: text } });

const declineTextOf = ({ method, declineMessage, declineReason }: CardSetup): string => {
  const name = redirectMethods.find((one) => one === method);
  if (name === undefined || declineReason !== 'authentication_failed') return declineMessage ?? '';
  return `The change was canceled on the page of ${name === 'paypal' ? redirectTitles[name] : 'the bank'}.`;
};
