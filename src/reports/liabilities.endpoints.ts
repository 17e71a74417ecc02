import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Liabilities, LiabilitiesQuery } from './liabilities.schemas';
import * as liabilities from './liabilities';
import { asReport } from './replicas';

export const liabilityEndpoints = {
  getLiabilities: endpoint({
    method: 'get',
    path: '/reporting/liabilities',
    summary: 'The credit and the debt of all customers by currency: now, or at the end of a day',
    auth: merchant('reports:read'),
    query: LiabilitiesQuery,
    status: 200,
    response: Liabilities,
    errors: [],
    handler: ({ caller, query }) => asReport(() => liabilities.getLiabilities(caller, query)),
  }),
};
