import { z } from 'zod';
import { consumer } from '../../../kit/auth';
import { endpoint } from '../../../kit/endpoint';
import { ItemPath } from '../../schemas';
import * as trials from './service';

export const trialEndpoints = {
  getUsedTrial: endpoint({
    method: 'get',
    path: '/items/used-trial-period/{id}',
    summary: '`true` when the consumer has used a free trial of the item; 404 when not',
    auth: consumer(),
    params: ItemPath,
    status: 200,
    response: z.literal(true),
    errors: ['item_not_found', 'trial_not_used'],
    handler: ({ caller, params }) => trials.getUsedTrial(caller, params.id),
  }),
};
