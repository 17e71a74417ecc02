import { z } from 'zod';
import { anyone } from '../kit/auth';
import { Answer, endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import {
  continueLinked,
  findConfirmation,
  findConfirmationMerchant,
  type Continued,
} from '../subscriptions/charges/confirmations';
import { homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { plainHeaders } from './layout/plain';
import { actionPage, confirmationPage } from './paymentConfirmation';

/** The page behind a link in a mail, where the payer of a renewal confirms the payment. */
const page = {
  path: '/payments/confirm/{token}',
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: ['payment_not_found'],
} as const;

export const paymentConfirmationEndpoints = {
  showPaymentConfirmation: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a payer confirms a renewal for the bank',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitPaymentConfirmation: endpoint({
    ...page,
    method: 'post',
    summary: 'Redirects the payer to the bank',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: async ({ params, request }) => {
      const next = await continueLinked(params.token, request.requestId);
      if (!next || !('redirectUrl' in next)) return show(params.token, request, next);
      const headers = { ...plainHeaders(), Location: next.redirectUrl };
      return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
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

async function homeOfPayer(token: string, request: RequestFacts) {
  const merchantUuid = page.params.safeParse({ token }).success ? await findConfirmationMerchant(token) : undefined;
  return merchantUuid === undefined ? noHome : homeOf(merchantUuid, request);
}
