import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';

test('200: a mail with a link, and the invitation in the list', async () => {
  const merchant = await createMerchant(app);
  const { id, email, token } = await invite(app, merchant, { role: 'support' });
  expect(token).toHaveLength(43);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([
    expect.objectContaining({ id, email, role: 'support', invited_by: merchant.id, is_expired: false }),
  ]);
});
