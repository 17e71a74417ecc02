import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ItemBody, ItemWithContent } from './schemas';
import * as items from './service';

export const itemEndpoints = {
  createItem: endpoint({
    method: 'post',
    path: '/v2/items',
    summary: 'Protect an item',
    auth: merchant('items:write'),
    body: ItemBody,
    status: 201,
    response: ItemWithContent,
    errors: [],
    handler: ({ caller, body }) => items.createItem(caller, body),
  }),
};
