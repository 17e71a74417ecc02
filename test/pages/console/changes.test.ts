import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole } from '../../support/pageWalker';
import { createCountrySet } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';
import { createStaff } from '../../support/staff';
import { createVoucher } from '../../support/vouchers';

/** The page of a row of the catalogue shows who has changed the row, also in whose name. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const scopes = ['accounts:read', 'items:read', 'items:write', 'restrictions:write'];

/** A follower, and the token with which its master acts as it. */
async function createPair() {
  const master = await createMerchant(app);
  await app.pool.query(`UPDATE accounts SET full_name = 'Head Office' WHERE id = $1`, [master.id]);
  const follower = await createFollower(app, master, scopes);
  const fields = { sign_in_as: follower.id, uuid: follower.uuid, client_id: follower.uuid, email: follower.email };
  const proof = { grant_type: 'social', password: 'correct-horse-battery' };
  const { body } = await call<{ access_token: string }>(
    app,
    'POST',
    '/accounts/impersonate',
    { ...fields, ...proof },
    master,
  );
  return { follower, acting: { ...follower, token: body.access_token } };
}

/** The words of the card. A long word can break at `<wbr>`. */
async function changesOn(path: string, { email }: Pick<Person, 'email'>): Promise<string> {
  const { status, text } = await (await enterConsole(app, email)).open(path);
  expect(status).toBe(200);
  const [, card = ''] = /<section[^>]*id="changes">([^]*?)<\/section>/.exec(text) ?? [];
  return card
    .replaceAll(/<wbr[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('an item, a package and a fee that the master has made and changed as its follower', async () => {
  const { follower, acting } = await createPair();
  const item = await createItem(app, acting);
  const fee = await createFee(app, acting, item.id);
  const { body } = await call<{ id: number }>(app, 'POST', '/items/packages', { title: 'Both' }, acting);
  for (const path of [`/items/${item.id}`, `/items/${item.id}/fees/${fee.id}`, `/items/${body.id}`])
    expect([path, await changesOn(`/console${path}`, follower)]).toEqual([
      path,
      expect.stringContaining('Head Office acting as You') as string,
    ]);
});

test('a country set, which names the set and not only the merchant', async () => {
  const { follower, acting } = await createPair();
  const set = await createCountrySet(app, { merchant: acting });
  const words = await changesOn(`/console/restrictions/countries/${set.id}`, follower);
  expect(words).toContain('Head Office acting as You');
});

test('a voucher that a member of the staff has changed', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  const voucher = await createVoucher(app, member);
  const words = await changesOn(`/console/vouchers/${voucher.id}`, merchant);
  expect(words).toContain(`Mira Stone (${member.email})`);
  expect(words).not.toContain('acting as');
});

test('the newest five, and a link to all of them in the audit log', async () => {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  await createItem(app, merchant);
  for (let at = 0; at < 6; at += 1)
    await call(
      app,
      at % 2 === 0 ? 'DELETE' : 'PUT',
      at % 2 === 0 ? `/items/${item.id}` : `/items/reactivate-item/${item.id}`,
      undefined,
      merchant,
    );
  const walker = await enterConsole(app, merchant.email);
  const { text } = await walker.open(`/console/items/${item.id}`);
  const [, card = ''] = /<section[^>]*id="changes">([^]*?)<\/section>/.exec(text) ?? [];
  expect(card.match(/<tr role="row">/g)).toHaveLength(1 + 5);
  expect(card).toContain(`href="/console/audit?object_type=item&amp;object_id=${item.id}"`);
  const log = await walker.open(`/console/audit?object_type=item&object_id=${item.id}`);
  expect(log.text.match(/<tr role="row">/g)).toHaveLength(1 + 7);
  expect(log.text).toContain(`Only entries about: Item ${item.id}`);
  expect(log.text).toContain(`name="object_id" value="${item.id}"`);
});

test('nobody who may not read the audit log', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:read', 'items:write']);
  const item = await createItem(app, follower);
  expect(await changesOn(`/console/items/${item.id}`, follower)).toBe('');
});
