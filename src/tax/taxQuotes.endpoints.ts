import { consumer } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { TaxQuote, TaxQuotePath, TaxQuoteQuery } from './taxQuotes.schemas';
import * as taxQuotes from './taxQuotes';

export const taxQuoteEndpoints = {
  getTaxQuote: endpoint({
    method: 'get',
    path: '/v2/tax/quotes/{access_fee_id}',
    summary: 'The tax within an amount that the caller is about to pay',
    auth: consumer(),
    params: TaxQuotePath,
    query: TaxQuoteQuery,
    status: 200,
    response: TaxQuote,
    errors: ['access_fee_not_found'],
    handler: ({ caller, params, query }) => taxQuotes.getTaxQuote(caller, params.access_fee_id, query.amount),
  }),
};
