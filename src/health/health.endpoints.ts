import { anyone } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Live, Ready } from './health.schemas';
import * as health from './health';

export const healthEndpoints = {
  getLiveness: endpoint({
    method: 'get',
    path: '/health/live',
    summary: 'Whether the process runs',
    auth: anyone(),
    status: 200,
    response: Live,
    errors: [],
    handler: () => Promise.resolve(health.getLiveness()),
  }),
  getReadiness: endpoint({
    method: 'get',
    path: '/health/ready',
    summary: 'Whether the process can serve requests',
    auth: anyone(),
    status: 200,
    response: Ready,
    errors: [],
    handler: () => health.getReadiness(),
  }),
};
