import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findOwedPayment, findPayLinkMerchant, payByLink } from '../subscriptions/mailLinks/payLinks';
import { homeOf } from './customer/home';
import { mailLinkPage, redirectTo } from './customer/mailLinkPages';
import { owedPage } from './paymentLink';

/** The page behind the link in a mail about a failed renewal. */
const page = {
  ...mailLinkPage(findPayLinkMerchant),
  path: '/payments/pay/{token}',
  errors: ['payment_not_found'],
} as const;

export const paymentLinkEndpoints = {
  showPaymentLink: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a customer pays an overdue renewal with the saved card, without a password',
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitPaymentLink: endpoint({
    ...page,
    method: 'post',
    summary: 'Charges the card once',
    handler: async ({ params: { token }, request }) => {
      if (!(await payByLink(token))) return show(token, request);
      return redirectTo(`/payments/pay/${token}`);
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const payment = await findOwedPayment(token);
  if (!payment) throw new AppError('payment_not_found');
  return owedPage(request, await homeOf(payment.merchantUuid, request), payment);
}
