import { askForDemoData, demoPlace, removeDemo } from '../support/demoData';
import { createConsumer, createItem, createMerchant, type Person } from '../support/factories';
import { auditOf, createFollower } from '../support/followers';
import { enterConsole } from '../support/pageWalker';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

/** Who may ask for demo data, and when. No worker runs, so nothing is filled. */

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const fillsOf = async ({ id }: Person) => {
  const { rows } = await app.pool.query('SELECT token FROM demo_fills WHERE merchant_id = $1', [id]);
  return rows.length;
};
const requestsIn = async (merchant: Person) =>
  (await auditOf(app, merchant)).filter(({ action }) => action === 'demo_data.create').length;

const button = 'name="demo"';
const rights = ['items:write', 'accounts:write', 'vouchers:write', 'payments:write', 'settings:write', 'payments:read'];

test('303: the overview of an empty account and the page of the test clock offer it', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  expect((await walker.open('/console')).text).toContain(button);
  expect((await walker.open('/console/test-clock')).text).toContain(`href="${demoPlace}"`);
  await walker.open(demoPlace);
  const { status, headers } = await walker.submit(demoPlace);
  expect([status, headers.get('location')]).toEqual([303, demoPlace]);
  const { text, headers: shown } = await walker.open(demoPlace);
  expect([text.includes('step 0 of 19'), shown.get('refresh'), text.includes(button)]).toEqual([true, '3', false]);
  expect((await walker.open('/console')).text).toContain('step 0 of 19');
});

test('303: a second press begins nothing', async () => {
  const merchant = await createMerchant(app);
  const walker = await askForDemoData(app, merchant.email);
  expect((await walker.submit(demoPlace)).status).toBe(303);
  expect([await fillsOf(merchant), await requestsIn(merchant)]).toEqual([1, 1]);
});

test('303: two presses at once begin one filling, with one entry in the audit log', async () => {
  const merchant = await createMerchant(app);
  const walkers = await Promise.all([1, 2, 3].map(() => enterConsole(app, merchant.email)));
  for (const walker of walkers) await walker.open(demoPlace);
  const answers = await Promise.all(walkers.map((walker) => walker.submit(demoPlace)));
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect([await fillsOf(merchant), await requestsIn(merchant)]).toEqual([1, 1]);
});

test('303: a removal without demo data, or during a filling, does nothing', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(demoPlace);
  expect((await removeDemo(walker)).status).toBe(303);
  await walker.open(demoPlace);
  await walker.submit(demoPlace);
  expect((await removeDemo(walker)).status).toBe(303);
  expect((await walker.open(demoPlace)).text).toContain('step 0 of 19');
  expect((await auditOf(app, merchant)).filter(({ action }) => action === 'demo_data.remove')).toEqual([]);
});

test.each([
  ['an item', (merchant: Person) => createItem(app, merchant)],
  ['a customer', (merchant: Person) => createConsumer(app, merchant)],
])('303: an account with %s is not filled, and the page says why', async (_what, use) => {
  const merchant = await createMerchant(app);
  await use(merchant);
  const walker = await askForDemoData(app, merchant.email);
  expect((await walker.open(demoPlace)).text).toContain('Demo data is only for an empty account.');
  expect((await walker.open('/console')).text).not.toContain(button);
  expect([await fillsOf(merchant), await requestsIn(merchant)]).toEqual([0, 0]);
});

test.each(['accounts:write', 'vouchers:write', 'payments:write', 'settings:write', 'items:write'])(
  '403 forbidden: a person without %s neither sees nor presses it',
  async (missing) => {
    const merchant = await createMerchant(app);
    const own = rights.filter((right) => right !== missing);
    const follower = await createFollower(app, merchant, own);
    const walker = await enterConsole(app, follower.email);
    expect((await walker.open('/console')).text).not.toContain(button);
    expect((await walker.open(demoPlace)).status).toBe(403);
    await walker.open('/console');
    expect((await walker.submit(demoPlace)).status).toBe(403);
    expect((await removeDemo(walker)).status).toBe(403);
    expect([await fillsOf(follower), await fillsOf(merchant)]).toEqual([0, 0]);
  },
);

test('303: a member of the staff with these rights fills the account of the merchant', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  await askForDemoData(app, member.email);
  expect(await fillsOf(merchant)).toBe(1);
  const asked = (await auditOf(app, merchant)).find(({ action }) => action === 'demo_data.create');
  expect(asked?.actor_account_id).toBe(member.id);
});
