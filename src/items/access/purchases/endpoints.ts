import { signedInWith } from '../../../kit/auth';
import { endpoint } from '../../../kit/endpoint';
import { PurchasePage, PurchaseQuery } from './schemas';
import * as purchases from './service';

export const purchaseEndpoints = {
  listPurchases: endpoint({
    method: 'get',
    path: '/items/access/customers',
    summary: 'What the consumer has or had access to; a merchant sees all its customers’, or one’s',
    auth: signedInWith('payments:read'),
    query: PurchaseQuery,
    status: 200,
    response: PurchasePage,
    errors: [],
    handler: ({ caller, query }) => purchases.listPurchases(caller, query),
  }),
};
