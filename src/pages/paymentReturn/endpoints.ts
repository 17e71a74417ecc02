import { z } from 'zod';
import { anyone } from '../../kit/auth';
import { Answer, endpoint } from '../../kit/endpoint';
import { returnPage } from './template';

const contentType = 'text/html; charset=utf-8';
const headers = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'" };

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
    handler: () => Promise.resolve(new Answer(returnPage(), { contentType, headers })),
  }),
};
