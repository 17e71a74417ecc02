import { signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { PurchasePage, PurchaseQuery } from './purchases.schemas';
import * as purchases from './purchases';

export const purchaseEndpoints = {
  listPurchases: endpoint({
    method: 'get',
    path: '/items/access/customers',
    summary: 'List present and past access of the consumer, or of a merchant’s customers',
    auth: signedInWith('payments:read'),
    query: PurchaseQuery,
    status: 200,
    response: PurchasePage,
    errors: [],
    handler: ({ caller, query }) => purchases.listPurchases(caller, query),
  }),
};
