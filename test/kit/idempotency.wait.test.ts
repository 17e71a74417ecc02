import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { AppError } from '../../src/kit/errors';
import { startKit, type Kit } from '../support/kit';

let refusals = 1;
const guarded = endpoint({
  method: 'post',
  path: '/guarded',
  summary: 'Asks the first to wait',
  auth: anyone(),
  status: 200,
  response: z.object({ done: z.boolean() }),
  errors: ['too_many_requests'],
  handler: () => {
    if (refusals-- > 0) throw new AppError('too_many_requests', { retryAfterSeconds: 1 });
    return Promise.resolve({ done: true });
  },
});

let kit: Kit;
beforeAll(async () => (kit = await startKit({ guarded })));
afterAll(() => kit.stop());

test('429 too_many_requests: who waited may try again with the same key', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const ask = () => fetch(`${kit.address}/guarded`, { method: 'POST', headers });
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await ask()).status).toBe(200);
  const again = await ask();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
});
