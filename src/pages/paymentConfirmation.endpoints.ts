import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import {
  continueLinked,
  findConfirmation,
  findConfirmationMerchant,
  type Continued,
} from '../subscriptions/charges/confirmations';
import { homeOf } from './customer/home';
import { mailLinkPage, redirectTo } from './customer/mailLinkPages';
import { actionPage, confirmationPage } from './paymentConfirmation';

/** The page behind a link in a mail, where the payer of a renewal confirms the payment. */
const page = {
  ...mailLinkPage(findConfirmationMerchant),
  path: '/payments/confirm/{token}',
  errors: ['payment_not_found'],
} as const;

export const paymentConfirmationEndpoints = {
  showPaymentConfirmation: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a payer confirms a renewal for the bank',
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitPaymentConfirmation: endpoint({
    ...page,
    method: 'post',
    summary: 'Redirects the payer to the bank',
    handler: async ({ params, request }) => {
      const next = await continueLinked(params.token, request.requestId);
      if (!next || !('redirectUrl' in next)) return show(params.token, request, next);
      return redirectTo(next.redirectUrl);
    },
  }),
};

async function show(token: string, request: RequestFacts, next?: Exclude<Continued, { redirectUrl: string }>) {
  const payment = await findConfirmation(token);
  if (!payment) throw new AppError('payment_not_found');
  const home = await homeOf(payment.merchantUuid, request);
  if (next && 'action' in next) return actionPage(request, home, payment, next.action);
  // The provider has answered. The purchase is updated a moment later.
  const state = next === undefined || next.isPaid ? payment.state : 'closed';
  return confirmationPage(request, home, { ...payment, state: next?.isPaid ? 'paid' : state });
}
