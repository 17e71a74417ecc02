import { z } from 'zod';
import { anyone } from '../../kit/auth';
import { endpoint, type RequestFacts } from '../../kit/endpoint';
import { findMerchantOfCharge } from '../../subscriptions/charges/service';
import { type Home, homeOf, nowhere } from '../customer/home';
import { refusalPage } from '../customer/refusal';
import { returnPage } from './template';

/** Where a bank sends a payer back to, when the purchase named no page of the merchant's. */
export const paymentReturnEndpoints = {
  showPaymentReturn: endpoint({
    method: 'get',
    path: '/payments/return',
    summary: 'The page after an authentication, where a purchase named none',
    auth: anyone(),
    status: 200,
    response: z.string(),
    produces: 'text/html',
    errors: [],
    refusal: async (error, _params, request) => refusalPage(error, request, await homeOfPayer(request)),
    handler: async ({ request }) => returnPage(request, await homeOfPayer(request)),
  }),
};

/** Read without a schema: whatever a bank adds, its payer is never refused. */
async function homeOfPayer(request: RequestFacts): Promise<Home> {
  const reference = new URLSearchParams(request.queryText).get('payment_intent') ?? '';
  const merchantUuid = /^[\w-]{1,100}$/.test(reference) ? await findMerchantOfCharge(reference) : undefined;
  return merchantUuid === undefined ? nowhere : homeOf(merchantUuid, request);
}
