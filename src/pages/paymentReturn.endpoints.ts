import { z } from 'zod';
import { anyone } from '../kit/auth';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import { findMerchantOfAuthentication } from '../subscriptions/charges/answers';
import { type Home, homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { returnPage } from './paymentReturn';

/** The page to which a bank returns a payer whose purchase has no return URL. */
export const paymentReturnEndpoints = {
  showPaymentReturn: endpoint({
    method: 'get',
    path: '/payments/return',
    summary: 'The page after an authentication, for a purchase without a return URL',
    auth: anyone(),
    status: 200,
    response: z.string(),
    produces: 'text/html',
    errors: [],
    refusal: async (error, _params, request) => refusalPage(error, request, await homeOfPayer(request)),
    handler: async ({ request }) => returnPage(request, await homeOfPayer(request)),
  }),
};

/** The query has no schema, so that an unknown parameter of a bank does not cause an error for the payer. */
async function homeOfPayer(request: RequestFacts): Promise<Home> {
  const query = new URLSearchParams(request.queryText);
  const reference = query.get('payment_intent') ?? query.get('setup_intent') ?? '';
  const isReference = /^[\w-]{1,100}$/.test(reference);
  const merchantUuid = isReference ? await findMerchantOfAuthentication(reference) : undefined;
  return merchantUuid === undefined ? noHome : homeOf(merchantUuid, request);
}
