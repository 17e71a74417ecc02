import { call } from '../support/client';
import { createMerchant, type Person, registration } from '../support/factories';
import { newFollower } from '../support/followers';
import { startMailServer, type MailServer } from '../support/mailServer';
import { openOperator, type Operator } from '../support/operators';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let operator: Operator;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ MERCHANT_SIGNUP: 'approval', SMTP_URL: mailServer.url });
  operator = await openOperator(app);
});
afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

const arrived = (to: string) => mailServer.received.filter(({ recipients }) => recipients.includes(to));
const approve = ({ id }: Pick<Person, 'id'>) => call(app, 'POST', `/operator/merchants/${id}/approve`, {}, operator);
const register = ({ uuid }: Person) => call(app, 'POST', '/accounts', registration('consumer', uuid));

test('200: a new merchant prepares its shop, and customers come in after the approval', async () => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'GET', `/operator/merchants/${merchant.id}`, undefined, operator)).body).toMatchObject({
    state: 'waiting',
    email: merchant.email,
  });
  const item = { item_type: 'html_asset', title: 'Cup final', content: '<p>The final.</p>' };
  expect((await call(app, 'POST', '/v2/items', item, merchant)).status).toBe(201);
  expect((await register(merchant)).body).toMatchObject({ code: 401, error: 'invalid_client' });
  const shown = await new PageWalker(app).open(`/portal/${merchant.uuid}/sign-in`);
  expect([shown.status, shown.text.includes('This shop is not open')]).toEqual([403, true]);

  const console_ = await enterConsole(app, merchant.email);
  const notice = 'waits for approval';
  expect((await console_.open('/console')).text).toContain(notice);
  expect((await approve(merchant)).body).toMatchObject({ state: 'open', waiting_since: null });
  expect((await console_.open('/console')).text).not.toContain(notice);
  expect((await register(merchant)).status).toBe(200);
  expect((await new PageWalker(app).open(`/portal/${merchant.uuid}/sign-in`)).status).toBe(200);
  await until(() => arrived(merchant.email).find(({ subject }) => subject?.endsWith(' is open')));
});

test('mails to others wait for the approval, and those to the merchant do not', async () => {
  const merchant = await createMerchant(app);
  const email = `stranger-${merchant.uuid}@example.org`;
  const added = await call(app, 'POST', '/v2/accounts/customers', { full_name: 'Ana', email }, merchant);
  expect(added.status).toBeLessThan(300);
  await until(() => arrived(merchant.email)[0]);
  await until(async () => {
    const { rows } = await app.pool.query('SELECT 1 FROM mails WHERE recipient = $1 AND available_at > now()', [email]);
    return rows.length > 0;
  });
  expect(arrived(email)).toEqual([]);
  await approve(merchant);
  await app.pool.query('UPDATE mails SET available_at = now() WHERE recipient = $1', [email]);
  await until(() => arrived(email)[0]);
});

test('a follower waits with its master and opens with it', async () => {
  const merchant = await createMerchant(app);
  const added = await call<{ account: { id: number } }>(app, 'POST', '/accounts/merchants', newFollower(), merchant);
  const { account: follower } = added.body;
  const stateOf = async () => {
    const { rows } = await app.pool.query<{ waiting: boolean }>(
      'SELECT waiting_since IS NOT NULL AS waiting FROM merchant_states WHERE merchant_id = $1',
      [follower.id],
    );
    return rows[0]?.waiting;
  };
  expect(await stateOf()).toBe(true);
  await approve(merchant);
  expect(await stateOf()).toBe(false);
});

test('409 merchant_state: who waits is approved once', async () => {
  const merchant = await createMerchant(app);
  const both = await Promise.all([approve(merchant), approve(merchant)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('404 merchant_not_found: an operator and nobody are no merchants', async () => {
  expect((await approve({ id: operator.id })).body).toMatchObject({ error: 'merchant_not_found' });
  expect((await approve({ id: 2_147_483_647 })).status).toBe(404);
});
