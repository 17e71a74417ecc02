import { openToActors, signedIn } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ItemPath } from './items.schemas';
import { DonationsResponse } from './donations.schemas';
import * as donations from './donations';

export const donationEndpoints = {
  getDonations: endpoint({
    method: 'get',
    path: '/v2/items/{id}/donations',
    summary: 'List the donation options of an item, which are always empty',
    auth: openToActors('items:read', signedIn()),
    params: ItemPath,
    status: 200,
    response: DonationsResponse,
    errors: ['item_not_found'],
    handler: ({ caller, params }) => donations.getDonations(caller, params.id),
  }),
};
