import { z } from 'zod';
import { anyone } from '../kit/auth';
import { Answer, endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findOwedPayment, findPayLinkMerchant, payByLink } from '../subscriptions/mailLinks/payLinks';
import { homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { plainHeaders } from './layout/plain';
import { owedPage } from './paymentLink';

/** The page behind the link in a mail about a failed renewal. */
const page = {
  path: '/payments/pay/{token}',
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: ['payment_not_found'],
} as const;

export const paymentLinkEndpoints = {
  showPaymentLink: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a customer pays an overdue renewal with the saved card, without a password',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitPaymentLink: endpoint({
    ...page,
    method: 'post',
    summary: 'Charges the card once',
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: async ({ params: { token }, request }) => {
      if (!(await payByLink(token))) return show(token, request);
      const headers = { ...plainHeaders(), Location: `/payments/pay/${token}` };
      return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const payment = await findOwedPayment(token);
  if (!payment) throw new AppError('payment_not_found');
  return owedPage(request, await homeOf(payment.merchantUuid, request), payment);
}

async function homeOfPayer(token: string, request: RequestFacts) {
  const merchantUuid = page.params.safeParse({ token }).success ? await findPayLinkMerchant(token) : undefined;
  return merchantUuid === undefined ? noHome : homeOf(merchantUuid, request);
}
