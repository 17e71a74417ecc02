import { signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ItemPath } from '../schemas';
import { DonationsResponse } from './schemas';
import * as donations from './service';

export const donationEndpoints = {
  getDonations: endpoint({
    method: 'get',
    path: '/v2/items/{id}/donations',
    summary: 'What may be donated to an item: nothing, as clients that ask have to hear',
    auth: signedIn(),
    params: ItemPath,
    status: 200,
    response: DonationsResponse,
    errors: ['item_not_found'],
    handler: ({ caller, params }) => donations.getDonations(caller, params.id),
  }),
};
