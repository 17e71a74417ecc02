import { z } from 'zod';
import { consumer, openToActors } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ItemPath } from '../items/items.schemas';
import * as trials from './trials';

export const trialEndpoints = {
  getUsedTrial: endpoint({
    method: 'get',
    path: '/items/used-trial-period/{id}',
    summary: 'Get whether the consumer has used the trial of the item: `true`, or 404',
    auth: openToActors('payments:read', consumer()),
    params: ItemPath,
    status: 200,
    response: z.literal(true),
    errors: ['item_not_found', 'trial_not_used'],
    handler: ({ caller, params }) => trials.getUsedTrial(caller, params.id),
  }),
};
