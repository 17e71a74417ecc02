import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { acceptance, createStaff, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';
const accept = (token: string, fields: Record<string, unknown> = {}) =>
  call(app, 'POST', `${path}/accept`, { ...acceptance(token), ...fields });

test('200: a new link that works, and the old one no longer', async () => {
  const merchant = await createMerchant(app);
  const { id, email, token } = await invite(app, merchant, { role: 'editor' });
  const first = await receives(app, merchant, email, 'staff_invitation');
  expect((await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).status).toBe(200);
  const second = await receives(app, merchant, email, 'staff_invitation', first.id);
  expect((await accept(token)).body).toMatchObject({ error: 'staff_invitation_invalid' });
  expect((await accept(tokenIn(second))).status).toBe(200);
});

test('403 scope_not_held: an administrator does not resend the invitation of an owner', async () => {
  const merchant = await createMerchant(app);
  const admin = await createStaff(app, merchant, { role: 'admin' });
  const { id } = await invite(app, merchant, { role: 'owner' });
  const { body } = await call(app, 'POST', `${path}/${id}/resend`, undefined, admin);
  expect(body).toMatchObject({ error: 'scope_not_held' });
});

test('429 too_many_requests: one address gets three invitations an hour', async () => {
  const merchant = await createMerchant(app);
  const { id } = await invite(app, merchant, { role: 'editor' });
  const statuses = new Set<number>();
  for (let count = 0; count < 30 && !statuses.has(429); count += 1)
    statuses.add((await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).status);
  expect(statuses).toContain(429);
});

test('404 staff_invitation_not_found: another merchant’s invitation', async () => {
  const merchant = await createMerchant(app);
  const { id } = await invite(app, await createMerchant(app), { role: 'editor' });
  expect(await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).toMatchObject({
    status: 404,
    body: { error: 'staff_invitation_not_found' },
  });
});
