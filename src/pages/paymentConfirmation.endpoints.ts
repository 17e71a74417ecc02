import { z } from 'zod';
import { anyone } from '../kit/auth';
import { Answer, endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { confirmCharge, findConfirmation, findConfirmationMerchant } from '../subscriptions/charges/confirmations';
import { homeOf, nowhere } from './customer/home';
import { refusalPage } from './customer/refusal';
import { plainHeaders } from './layout/plain';
import { confirmationPage } from './paymentConfirmation';

/** The page behind the link by which the payer of a renewal confirms the payment. */
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
    summary: 'The page where a payer confirms a renewal that the bank has asked about',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitPaymentConfirmation: endpoint({
    ...page,
    method: 'post',
    summary: 'The button of that page, which leads to the bank',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: async ({ params, request }) => {
      const bank = await confirmCharge(params.token, request.requestId);
      if (bank === undefined) return show(params.token, request);
      const headers = { ...plainHeaders(), Location: bank };
      return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const payment = await findConfirmation(token);
  if (!payment) throw new AppError('payment_not_found');
  return confirmationPage(request, await homeOf(payment.merchantUuid, request), payment);
}

async function homeOfPayer(token: string, request: RequestFacts) {
  const merchantUuid = page.params.safeParse({ token }).success ? await findConfirmationMerchant(token) : undefined;
  return merchantUuid === undefined ? nowhere : homeOf(merchantUuid, request);
}
