import { anyone } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Live, Ready } from './schemas';
import * as health from './service';

export const healthEndpoints = {
  getLiveness: endpoint({
    method: 'get',
    path: '/health/live',
    summary: 'The process runs',
    auth: anyone(),
    status: 200,
    response: Live,
    errors: [],
    handler: () => Promise.resolve(health.getLiveness()),
  }),
  getReadiness: endpoint({
    method: 'get',
    path: '/health/ready',
    summary: 'The process can serve',
    auth: anyone(),
    status: 200,
    response: Ready,
    errors: [],
    handler: () => health.getReadiness(),
  }),
};
