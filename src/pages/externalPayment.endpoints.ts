import { z } from 'zod';
import { anyone } from '../kit/auth';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findContinuation } from '../subscriptions/paypal/paypal';
import { homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { externalPaymentPage } from './externalPayment';

const Path = z.object({ token: z.string().min(1).max(200) });

/** The address that a purchase by PayPal answers. */
export const externalPaymentPages = {
  showExternalPayment: endpoint({
    method: 'get',
    path: '/payments/external/{token}',
    summary: 'The page that sends the payer to PayPal',
    auth: anyone(),
    limit: 'credentials',
    params: Path,
    status: 200,
    response: z.string(),
    produces: 'text/html',
    errors: ['payment_not_found'],
    refusal: async (error, { token = '' }, request) => refusalPage(error, request, await homeOfPayer(token, request)),
    handler: async ({ params, request }) => {
      const next = await findContinuation(params.token);
      if (!next) throw new AppError('payment_not_found');
      return externalPaymentPage(request, await homeOf(next.merchantUuid, request), next);
    },
  }),
};

async function homeOfPayer(token: string, request: RequestFacts) {
  const next = Path.safeParse({ token }).success ? await findContinuation(token) : undefined;
  return next === undefined ? noHome : homeOf(next.merchantUuid, request);
}
